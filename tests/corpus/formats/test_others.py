"""JSON, mails, OpenDocument, RTF, archives, and what is told by content alone."""

from __future__ import annotations

import base64
import json
import quopri
import sys
from email.message import EmailMessage

import pytest

from office_files import docx, p, pdf, zipped
from strata_rag.corpus.formats import Extraction, Limits, NoReader, Options, Unreadable, extract_bytes


def read(raw: bytes | str, name: str, **options: object) -> Extraction:
    return extract_bytes(raw.encode() if isinstance(raw, str) else raw, name, options=Options(**options))  # type: ignore[arg-type]


def test_a_list_of_objects_is_a_record_each_with_readable_fields() -> None:
    found = read(
        json.dumps(
            [
                {"title": "Pump", "size": {"mm": 7}, "tags": ["a", "b"], "ok": True, "no": None},
                {"title": "Valve"},
            ]
        ),
        "a.json",
    )
    assert found.text == "title: Pump\nsize.mm: 7\ntags: a, b\nok: true\n\ntitle: Valve"
    assert found.records[0].values == {"title": "Pump", "size.mm": 7, "tags": "a, b", "ok": True}


def test_lines_that_are_no_json_are_named_and_the_others_read() -> None:
    found = read(
        '\ufeff{"id": "k1", "text": "One."}\nbroken\n\n{"id": "k2", "text": "Two."}\n',
        "a.jsonl",
        id_column="id",
        text_column="text",
    )
    assert [(one.name, one.extraction.text) for one in found.parts] == [("k1", "One."), ("k2", "Two.")]
    assert found.warnings == ("no JSON in line 2: left out",)


def test_nesting_without_end_is_refused_and_deep_nesting_is_cut() -> None:
    with pytest.raises(Unreadable, match="nested too deep"):
        read("[" * 100_000 + "]" * 100_000, "a.json")
    assert read('{"a":' * 500 + "1" + "}" * 500, "a.json").text.endswith("(nested deeper)")


def test_numbers_no_index_can_hold_are_texts() -> None:
    assert read('{"a": 123456789012345678901234567890, "b": NaN}', "a.json").records[0].values == {
        "a": "123456789012345678901234567890",
        "b": "nan",
    }


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
@pytest.mark.parametrize("text", ['{"a": "One."}{"a": "Two."}', '{\n "a": "One."\n}\n{\n "a": "Two."\n}\n'])
def test_values_that_stand_one_behind_the_other_are_all_read(name: str, text: str) -> None:
    assert read(text, name).text == "a: One.\n\na: Two."


def test_most_lines_may_be_broken_as_long_as_they_are_named() -> None:
    found = read('broken\nbroken\n{"a": "One."}\nbroken\n', "a.jsonl")
    assert (found.text, found.warnings) == ("a: One.", ("no JSON in line 1-2, 4: left out",))


def test_a_name_that_stands_twice_in_an_object_loses_no_value() -> None:
    assert read('{"a": "One.", "a": "Two."}', "a.json").text == "a: One.\na (2): Two."


def test_a_number_of_any_length_is_read() -> None:
    assert read(f'{{"a": {"9" * 5000}, "b": 1}}', "a.json").text == f"a: {'9' * 5000}\nb: 1"


def _mail() -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = (
        "Ada <ada@acme.example>",
        "bob@acme.example",
        "Grüße zur Pumpe",
    )
    mail.set_content("Plain words.")
    mail.add_alternative("<p>Marked words.</p>", subtype="html")
    return mail


def test_a_mail_has_its_headers_its_plain_body_and_its_attachments() -> None:
    mail = _mail()
    mail.add_attachment(
        docx(p("From Word.")), maintype="application", subtype="octet-stream", filename="a.docx"
    )
    mail.add_attachment(b"\0\1\2\3" * 9, maintype="application", subtype="octet-stream", filename="b.bin")
    found = read(bytes(mail), "a.eml")
    assert found.text == (
        "From: Ada <ada@acme.example>\nTo: bob@acme.example\nSubject: Grüße zur Pumpe\n\nPlain words.\n\nFrom Word."
    )
    assert found.title == "Grüße zur Pumpe"
    assert found.metadata["from"] == "Ada <ada@acme.example>"
    assert [(found.text[one.start :], one.title) for one in found.sections] == [
        ("From Word.", "attachment: a.docx")
    ]
    assert found.warnings == ("attachment b.bin: unknown binary data: no reader",)


def test_a_mail_with_html_alone_and_a_mail_in_a_mail_are_read() -> None:
    outer = EmailMessage()
    outer["Subject"] = "outer"
    outer.set_content("<p>one<br>two</p>", subtype="html")
    outer.add_attachment(_mail())
    found = read(bytes(outer), "a.eml")
    assert found.text.startswith("Subject: outer\n\none\ntwo\n\nFrom: Ada")
    assert found.sections[0].title == "attached mail: Grüße zur Pumpe"


def _raw_mail(kind: str, body: bytes, packing: str = "7bit") -> bytes:
    head = f"From: a@b.example\nTo: c@d.example\nSubject: S\nContent-Type: {kind}\n"
    return f"{head}Content-Transfer-Encoding: {packing}\n\n".encode() + body


def _parts(*parts: str) -> bytes:
    return "".join(f"--b\nContent-Type: {one}\n" for one in parts).encode() + b"--b--\n"


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_headers_in_bytes_beyond_ascii_are_decoded_like_the_body(encoding: str) -> None:
    text = "From: Jürgen <a@b.example>\nTo: c@d.example\nSubject: Grüße aus Köln\n\n"
    found = read((text + "Der Körper ist größer und schöner für Übungen").encode(encoding), "a.eml")
    assert (found.title, found.metadata["from"]) == ("Grüße aus Köln", "Jürgen <a@b.example>")
    assert found.warnings == ()


def test_parts_without_a_name_are_read_or_named() -> None:
    body = _parts(
        "text/plain\n\nhello",
        'application/json\n\n{"a": "inner"}',
        "application/x-thing\n\n\x01\x02\x03\x04",
        "text/css\n\np { color: red }",
    )
    found = read(_raw_mail("multipart/mixed; boundary=b", body), "a.eml")
    assert found.text.endswith("\n\nhello\n\na: inner")
    assert found.warnings == ("attachment unnamed application/x-thing: unknown binary data: no reader",)


def test_a_report_of_delivery_is_read() -> None:
    body = _parts(
        "text/plain\n\nbounced", "message/delivery-status\n\nReporting-MTA: dns; x\n\nFinal-Recipient: y\n"
    )
    text = read(_raw_mail("multipart/report; boundary=b", body), "a.eml").text
    assert all(line in text for line in ("bounced", "Reporting-MTA: dns; x", "Final-Recipient: y"))


def test_a_mail_of_parts_that_are_nowhere_cut_is_read_as_it_stands() -> None:
    assert read(_raw_mail("multipart/mixed; boundary=b", b"one body"), "a.eml").text.endswith("\n\none body")


@pytest.mark.parametrize("packing", ["base64", "quoted-printable"])
def test_an_enclosed_mail_is_unpacked(packing: str) -> None:
    inner = b"From: e@f.example\nSubject: inner\n\ninner body\n"
    packed = (base64.encodebytes(inner) if packing == "base64" else quopri.encodestring(inner)).decode()
    body = _parts(f"message/rfc822\nContent-Transfer-Encoding: {packing}\n\n{packed}")
    text = read(_raw_mail("multipart/mixed; boundary=b", body), "a.eml").text
    assert text.endswith("Subject: inner\n\ninner body")


def test_an_open_document_has_paragraphs_lists_rows_and_notes_without_what_was_deleted() -> None:
    content = (
        "<o:document-content xmlns:o='office' xmlns:t='text' xmlns:b='table'><o:body><o:text>"
        "<t:tracked-changes><t:p>deleted</t:p></t:tracked-changes><t:h t:outline-level='1'>Pumps</t:h>"
        "<t:p>a<t:s t:c='2'/>b<t:tab/>c<t:note><t:note-citation>1</t:note-citation><t:note-body><t:p>note</t:p></t:note-body></t:note></t:p>"
        "<t:list><t:list-item><t:p>item</t:p></t:list-item></t:list><b:table><b:table-row><b:table-cell><t:p>x</t:p>"
        "</b:table-cell><b:covered-table-cell/><b:table-cell><t:p>y</t:p></b:table-cell></b:table-row></b:table>"
        "</o:text></o:body></o:document-content>"
    )
    raw = zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})
    found = read(raw, "a.odt")
    assert found.text == "Pumps\n\na  b\tc\nnote\n- item\n\nx |  | y"
    assert [one.title for one in found.sections] == ["Pumps"]


def test_an_open_document_has_its_headers_and_footers_once_and_nothing_that_is_hidden() -> None:
    page = "<s:master-page><s:header><t:p>head</t:p></s:header><s:footer><t:p>foot</t:p></s:footer></s:master-page>"
    ruby = "<t:ruby><t:ruby-base>漢</t:ruby-base><t:ruby-text>kan</t:ruby-text></t:ruby>"
    raw = zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "styles.xml": f"<o:document-styles xmlns:o='office' xmlns:s='style' xmlns:t='text'>{page}{page}</o:document-styles>",
            "content.xml": "<o:document-content xmlns:o='office' xmlns:t='text'><o:body><o:text>"
            f"<t:section t:display='none'><t:p>gone</t:p></t:section><t:p>{ruby} shown"
            "<t:hidden-text t:is-hidden='true'>gone</t:hidden-text></t:p></o:text></o:body></o:document-content>",
        }
    )
    assert read(raw, "a.odt").text == "head\n\n漢(kan) shown\n\nfoot"


def test_rtf_has_its_headers_and_notes_and_nothing_that_is_hidden_or_deleted() -> None:
    raw = rb"{\rtf1{\header head {\b bold}}body{\footnote a \} note}{\v gone}{\b\deleted gone} rest{\footerf foot}}"
    text = read(raw, "a.rtf").text
    assert [line.strip() for line in text.split("\n")] == ["head bold", "body a } note  rest", "foot"]


@pytest.mark.parametrize(("word", "byte"), [("mac", "8e"), ("pc", "82"), ("pca", "82"), ("ansi", "e9")])
def test_rtf_names_its_character_set_by_a_word(word: str, byte: str) -> None:
    assert read(f"{{\\rtf1\\{word} caf\\'{byte}}}", "a.rtf").text == "café"


def test_rtf_is_decoded_by_its_code_page() -> None:
    found = read(rb"{\rtf1\ansi\ansicpg1250 P\'f8\'edli\'9a \b bold\b0\par two}", "a.rtf")
    assert found.text.split("\n") == ["Příliš bold", "two"]
    assert found.encoding == "cp1250"


def test_an_archive_is_read_only_on_request_and_its_files_are_named_after_it() -> None:
    raw = zipped(
        {
            "docs/a.md": "# A",
            "../../b.txt": "b",
            "c.docx": docx(p("c")),
            "d.bin": b"\0\1\2",
            ".x.md": "h",
            "in.zip": zipped({"e.md": "e"}),
        }
    )
    with pytest.raises(NoReader, match=r"corpus.zip is false"):
        read(raw, "z.zip")
    found = read(raw, "z.zip", zip=True)
    assert [(one.name, one.extraction.text) for one in found.parts] == [
        ("z.zip/docs/a.md", "# A"),
        ("z.zip/b.txt", "b"),
        ("z.zip/c.docx", "c"),
        ("z.zip/in.zip/e.md", "e"),
    ]
    assert found.warnings == ("d.bin: unknown binary data: no reader", "1 hidden file inside left out")


def test_an_archive_beyond_its_limits_is_refused() -> None:
    many = zipped({f"{number}.md": "x" for number in range(20)})
    with pytest.raises(Unreadable, match=r"20 files inside, more than corpus.limits.max_members 10"):
        extract_bytes(many, "z.zip", options=Options(zip=True), limits=Limits(max_members=10))
    nested = zipped({"a.md": "end"})
    for _ in range(6):
        nested = zipped({"z.zip": nested})
    with pytest.raises(Unreadable, match="nested too deep"):
        read(nested, "z.zip", zip=True)


@pytest.mark.parametrize("name", ["a.txt", "a.pdf", "a", "a.csv", "a.bin", "a.xlsx"])
def test_a_file_is_read_as_what_it_is_whatever_it_is_called(name: str) -> None:
    assert (read(docx(p("words")), name).text, read(docx(p("words")), name).format) == ("words", "docx")
    assert (read(pdf(["words"]), name).text, read(pdf(["words"]), name).format) == ("words", "pdf")


def test_another_name_than_the_contents_is_told() -> None:
    assert read(pdf(["words"]), "a.docx").warnings == ("its name says docx, it was read as pdf",)
    assert read("<!doctype html><p>words", "a.pdf").warnings == ("its name says pdf, it was read as html",)


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.xlsx", "a.txt"])
def test_random_bytes_fail_under_every_name(name: str) -> None:
    raw = bytes((number * 73 + 41) % 256 for number in range(1024))
    with pytest.raises(Unreadable):
        read(raw, name)


@pytest.mark.parametrize(
    ("package", "name", "raw"),
    [
        ("lxml", "a.html", b"<p>x"),
        ("lxml", "a.docx", docx(p("x"))),
        ("pypdfium2", "a.pdf", pdf(["x"])),
        ("striprtf.striprtf", "a.rtf", b"{\\rtf1 x}"),
        ("chardet", "a.txt", b"caf\xe9 " * 9),
        ("python_calamine", "a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "Workbook".encode("utf-16-le")),
    ],
)
def test_a_missing_package_is_named_with_what_installs_it(
    monkeypatch: pytest.MonkeyPatch, package: str, name: str, raw: bytes
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(Unreadable, match=r"pip install 'strata-rag\[formats\]'"):
        read(raw, name)


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("a.md", b"# x"),
        ("a.csv", b"a,b\n1,2"),
        ("a.json", b"[1]"),
        ("a.eml", b"From: a\nTo: b\nSubject: c\n\nbody"),
    ],
)
def test_plain_formats_need_no_package(monkeypatch: pytest.MonkeyPatch, name: str, raw: bytes) -> None:
    for package in ("lxml", "pypdfium2", "chardet", "striprtf", "python_calamine", "pypdf"):
        monkeypatch.setitem(sys.modules, package, None)
    assert read(raw, name).text


def test_kinds_without_a_reader_are_named() -> None:
    with pytest.raises(NoReader, match=r"save it as .docx"):
        read(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500) + "WordDocument".encode("utf-16-le"), "a.doc")
    with pytest.raises(NoReader, match="a PowerPoint presentation: no reader"):
        read(zipped({"[Content_Types].xml": "<Types/>", "ppt/presentation.xml": "<p/>"}), "a.pptx")
    with pytest.raises(NoReader, match=r"no reader for .py"):
        read("print(1)", "a.py")
