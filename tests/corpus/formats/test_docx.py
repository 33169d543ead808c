from __future__ import annotations

import pytest

from office_files import R, W, docx, p, part, r, relations, zipped
from strata_rag.corpus.formats import Extraction, Limits, Options, Unreadable, extract_bytes


def read(raw: bytes, **options: bool) -> Extraction:
    return extract_bytes(raw, "a.docx", options=Options(**options))


def text_of(body: str, parts: dict[str, tuple[str, str]] | None = None, **options: bool) -> str:
    return read(docx(body, parts), **options).text


def test_insertions_stay_and_what_was_deleted_or_moved_away_goes() -> None:
    body = (
        f"<w:p>{r('kept ')}<w:ins>{r('new')}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
        f"<w:moveFrom>{r('gone')}</w:moveFrom><w:moveTo>{r(' here')}</w:moveTo></w:p>"
    )
    assert text_of(body) == "kept new here"


def test_a_paragraph_whose_mark_was_deleted_goes_on_in_the_next() -> None:
    body = f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{r('one ')}</w:p>{p('two')}{p('three')}"
    assert text_of(body) == "one two\nthree"


def test_a_deleted_row_is_no_row() -> None:
    rows = "".join(
        f"<w:tr>{change}<w:tc>{p(text)}</w:tc></w:tr>"
        for text, change in (("a", ""), ("b", "<w:trPr><w:del/></w:trPr>"), ("c", ""))
    )
    assert text_of(f"<w:tbl>{rows}</w:tbl>") == "a\nc"


def test_links_content_controls_and_results_of_fields_are_text_and_instructions_are_not() -> None:
    body = (
        f"<w:p><w:hyperlink>{r('link ')}</w:hyperlink><w:sdt><w:sdtContent>{r('control ')}</w:sdtContent></w:sdt>"
        "<w:r><w:fldChar/></w:r><w:r><w:instrText>PAGEREF x</w:instrText></w:r>"
        f"{r('result')}<w:fldSimple w:instr='DATE'>{r(' date')}</w:fldSimple></w:p>"
    )
    assert text_of(body) == "link control result date"


def test_hidden_text_is_not_read() -> None:
    off = '<w:vanish w:val="0"/>'
    assert text_of(f"<w:p>{r('seen')}{r('unseen', '<w:vanish/>')}{r('!', off)}</w:p>") == "seen!"


def test_tabs_breaks_and_hyphens_are_the_signs_they_show() -> None:
    signs = "<w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/>"
    body = f"<w:p><w:r>{signs}</w:r></w:p>"
    assert text_of(body) == "a\tb\nc-d"


def test_a_merged_cell_stands_once_and_rows_may_be_ragged() -> None:
    def cell(text: str, merge: str = "") -> str:
        return f"<w:tc><w:tcPr>{merge}</w:tcPr>{p(text)}</w:tc>"

    begin = '<w:vMerge w:val="restart"/>'
    body = (
        f"<w:tbl><w:tr>{cell('top', begin)}{cell('b')}</w:tr>"
        f"<w:tr>{cell('', '<w:vMerge/>')}{cell('d')}</w:tr><w:tr>{cell('e')}</w:tr></w:tbl>"
    )
    assert text_of(body) == "top | b\n | d\ne"


def test_a_text_box_is_read_once_however_many_branches_draw_it() -> None:
    box = f"<w:txbxContent>{p('boxed')}</w:txbxContent>"
    body = (
        "<w:p>"
        + r("anchor")
        + f"<w:r><mc:AlternateContent><mc:Choice><w:drawing>{box}</w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>{p('after')}"
    )
    assert text_of(body) == "anchor\nboxed\nafter"


def test_notes_stand_behind_their_paragraph_and_comments_only_on_request() -> None:
    body = (
        f"<w:p>{r('with a note')}<w:r><w:footnoteReference w:id='2'/><w:commentReference w:id='0'/></w:r></w:p>"
        f"{p('next')}"
    )
    notes = (
        f"<w:footnote w:id='-1' w:type='separator'>{p('-')}</w:footnote>"
        f"<w:footnote w:id='2'>{p('the note')}</w:footnote>"
    )
    parts = {
        "footnotes.xml": ("footnotes", part("footnotes", notes)),
        "comments.xml": ("comments", part("comments", f"<w:comment w:id='0'>{p('really?')}</w:comment>")),
    }
    assert text_of(body, parts) == "with a note\nthe note\nnext"
    assert text_of(body, parts, comments=True) == "with a note\nthe note\nComment: really?\nnext"


def test_each_header_and_footer_stands_once_above_and_below() -> None:
    references = "".join(
        f"<w:sectPr><w:{kind}Reference xmlns:r='{R}' r:id='{kind}.xml'/></w:sectPr>"
        for kind in ("header", "footer")
    )
    parts = {
        "header.xml": ("header", part("hdr", p("Acme"))),
        "footer.xml": ("footer", part("ftr", p("Confidential"))),
    }
    assert text_of(p("body") + references + references, parts) == "Acme\n\nbody\n\nConfidential"


def test_headings_are_sections_with_their_path_and_the_title_style_gives_the_title() -> None:
    styles = part(
        "styles",
        "<w:style w:styleId='T'><w:name w:val='Title'/></w:style>"
        "<w:style w:styleId='H1'><w:name w:val='heading 1'/></w:style>"
        "<w:style w:styleId='Own'><w:name w:val='Mine'/><w:basedOn w:val='H2'/></w:style>"
        "<w:style w:styleId='H2'><w:name w:val='heading 2'/></w:style>",
    )
    body = "".join(
        p(text, f"<w:pStyle w:val='{style}'/>")
        for text, style in (("Manual", "T"), ("Pumps", "H1"), ("Oil", "Own"), ("text", "x"), ("Valves", "H1"))
    )
    found = read(docx(body, {"styles.xml": ("styles", styles)}))
    assert found.title == "Manual"
    assert [(found.text[one.start :].split("\n")[0], one.title) for one in found.sections] == [
        ("Pumps", "Pumps"),
        ("Oil", "Pumps > Oil"),
        ("Valves", "Valves"),
    ]


def test_list_items_carry_the_markers_that_are_shown() -> None:
    numbering = part(
        "numbering",
        "<w:abstractNum w:abstractNumId='0'><w:lvl w:ilvl='0'><w:start w:val='3'/><w:numFmt w:val='decimal'/>"
        "<w:lvlText w:val='%1.'/></w:lvl><w:lvl w:ilvl='1'>"
        "<w:numFmt w:val='lowerLetter'/><w:lvlText w:val='%1.%2)'/></w:lvl>"
        "</w:abstractNum><w:abstractNum w:abstractNumId='1'><w:lvl w:ilvl='0'><w:numFmt w:val='bullet'/></w:lvl>"
        "</w:abstractNum><w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>"
        "<w:num w:numId='2'><w:abstractNumId w:val='1'/></w:num>",
    )

    def item(text: str, level: int, number: int) -> str:
        return p(text, f"<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='{number}'/></w:numPr>")

    body = (
        item("a", 0, 1)
        + item("b", 1, 1)
        + item("c", 1, 1)
        + item("d", 0, 1)
        + item("e", 1, 1)
        + item("f", 0, 2)
    )
    parts = {"numbering.xml": ("numbering", numbering)}
    assert text_of(body, parts) == "3. a\n3.a) b\n3.b) c\n4. d\n4.a) e\n- f"


def test_an_equation_is_one_line() -> None:
    body = (
        "<w:p><m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
        "<m:r><m:t>=</m:t></m:r><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
        "</m:oMath></w:p>"
    )
    assert text_of(body) == "(a+b)/2=x^2"


def test_an_embedded_page_is_read_in_place() -> None:
    page = "<html><body><p>from <b>HTML</b></p><script>no()</script></body></html>"
    body = p("before") + f"<w:altChunk xmlns:r='{R}' r:id='page.html'/>" + p("after")
    assert text_of(body, {"page.html": ("aFChunk", page)}) == "before\n\nfrom HTML\n\nafter"


def test_parts_are_found_by_their_relations_wherever_they_lie_and_in_the_strict_namespace() -> None:
    raw = docx(p("found"), main="odd/place/doc7.xml")
    assert read(raw).text == "found"
    strict = f'<d:document xmlns:d="http://purl.oclc.org/ooxml/wordprocessingml/main"><d:body>{p("strict")}</d:body></d:document>'
    strict = strict.replace("w:", "d:")
    raw = zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relations({"a": ("officeDocument", "/word/document.xml")}),
            "word/document.xml": strict,
        }
    )
    assert read(raw).text == "strict"


def test_a_broken_part_beside_the_document_costs_a_warning() -> None:
    found = read(docx(p("text"), {"styles.xml": ("styles", "<broken")}))
    assert found.text == "text"
    assert found.warnings[0].startswith("its styles can't be read: damaged: word/styles.xml")


@pytest.mark.parametrize(
    "inside", ["<!DOCTYPE x [<!ENTITY a 'aaaa'>]>", "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>"]
)
def test_entities_of_its_own_are_refused(inside: str) -> None:
    raw = zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relations({"a": ("officeDocument", "word/document.xml")}),
            "word/document.xml": f"{inside}<w:document xmlns:w='{W}'><w:body>{p('&amp;')}</w:body></w:document>",
        }
    )
    with pytest.raises(Unreadable, match="declares XML entities: refused"):
        read(raw)


def test_a_part_that_unpacks_too_far_is_refused() -> None:
    raw = docx(p("a" * 3_000_000))
    with pytest.raises(Unreadable, match=r"max_ratio 200"):
        read(raw)
    with pytest.raises(Unreadable, match=r"max_unpacked 1000"):
        extract_bytes(raw, "a.docx", limits=Limits(max_unpacked=1000))


def test_an_encrypted_document_is_named() -> None:
    raw = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(Unreadable, match="encrypted: a password is needed"):
        read(raw)


def _field(kind: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


def test_what_a_field_inside_instructions_gave_is_not_shown() -> None:
    inner = (
        f"{_field('begin')}<w:r><w:instrText>MERGEFIELD x</w:instrText></w:r>{_field('separate')}{r('gone')}"
    )
    body = (
        f"<w:p>{_field('begin')}<w:r><w:instrText>IF</w:instrText></w:r>{inner}{_field('end')}{_field('separate')}"
        f"{r('shown')}{_field('end')}{r(' after')}</w:p>"
    )
    assert text_of(body) == "shown after"


def test_a_field_that_is_never_closed_hides_nothing_of_what_follows() -> None:
    assert text_of(f"<w:p>{_field('begin')}</w:p>{p('after')}") == "after"
    cells = f"<w:tc><w:p>{_field('begin')}</w:p></w:tc><w:tc>{p('cell')}</w:tc>"
    assert text_of(f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>{p('after')}") == " | cell\n\nafter"


def test_a_guide_to_a_words_reading_stands_behind_the_word() -> None:
    ruby = f"<w:r><w:ruby><w:rt>{r('kan')}</w:rt><w:rubyBase>{r('漢')}</w:rubyBase></w:ruby></w:r>"
    assert text_of(f"<w:p>{ruby}{r('x')}</w:p>") == "漢(kan)x"


@pytest.mark.parametrize("code", ["F062", "0062"])
def test_the_letters_of_the_font_symbol_are_greek(code: str) -> None:
    assert text_of(f'<w:p><w:r><w:sym w:font="Symbol" w:char="{code}"/></w:r></w:p>') == "β"


def test_text_that_its_style_hides_is_hidden_unless_it_says_otherwise() -> None:
    styles = part("styles", '<w:style w:styleId="H"><w:rPr><w:vanish/></w:rPr></w:style>')
    style = '<w:rStyle w:val="H"/>'
    shown = style + '<w:vanish w:val="0"/>'
    body = f"<w:p>{r('gone', style)}{r('shown', shown)}</w:p>"
    assert text_of(body, {"styles.xml": ("styles", styles)}) == "shown"


def test_a_list_may_begin_and_look_otherwise_than_the_one_it_follows() -> None:
    numbering = part(
        "numbering",
        '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/>'
        '</w:lvlOverride></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">'
        '<w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="(%1)"/></w:lvl>'
        "</w:lvlOverride></w:num>",
    )
    items = "".join(
        p(text, f'<w:numPr><w:numId w:val="{at}"/></w:numPr>') for text, at in (("a", 1), ("b", 1), ("c", 2))
    )
    assert text_of(items, {"numbering.xml": ("numbering", numbering)}) == "5. a\n6. b\n(III) c"


def test_a_document_without_its_root_relationships_is_found_at_its_usual_place() -> None:
    main = f'<w:document xmlns:w="{W}"><w:body>{p("found")}</w:body></w:document>'
    assert read(zipped({"[Content_Types].xml": "<Types/>", "word/document.xml": main})).text == "found"
