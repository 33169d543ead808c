"use strict";
(function () {
  function key(row, column) {
    const cell = row.children[column];
    return cell.dataset.value !== undefined ? cell.dataset.value : cell.textContent.trim();
  }
  function compare(one, other, numeric, sign) {
    if (one === "" || other === "") return (one === "") - (other === ""); // what is undefined stays last
    return sign * (numeric ? Number(one) - Number(other) : one.localeCompare(other, undefined, { numeric: true }));
  }
  function sortBy(heading) {
    const table = heading.closest("table");
    const body = table.tBodies[0];
    const column = heading.cellIndex;
    const numeric = heading.classList.contains("num");
    const falling = heading.getAttribute("aria-sort") === (numeric ? "none" : "ascending") ||
      (numeric && heading.getAttribute("aria-sort") === "ascending");
    for (const other of table.tHead.querySelectorAll("[aria-sort]")) other.setAttribute("aria-sort", "none");
    heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
    const rows = Array.from(body.rows);
    rows.sort((a, b) => compare(key(a, column), key(b, column), numeric, falling ? -1 : 1));
    body.append(...rows);
  }
  for (const button of document.querySelectorAll("thead button")) {
    button.addEventListener("click", () => sortBy(button.closest("th")));
  }

  function entries(target) {
    const found = document.getElementById(target);
    return found.tBodies ? Array.from(found.tBodies[0].rows) : Array.from(found.children);
  }
  function filter(target) {
    const find = document.querySelector(`[data-find="${target}"]`);
    const pick = document.querySelector(`[data-pick="${target}"]`);
    const failed = document.querySelector(`[data-failed-only="${target}"]`);
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const all = entries(target);
    let shown = 0;
    for (const entry of all) {
      const hidden = words.some((word) => !entry.dataset.search.includes(word)) ||
        (pick && pick.value !== "" && entry.dataset.kind !== pick.value) ||
        (failed && failed.checked && entry.dataset.failed !== "yes");
      entry.hidden = Boolean(hidden);
      shown += hidden ? 0 : 1;
    }
    document.querySelector(`[data-count="${target}"]`).textContent =
      shown === all.length ? `${all.length} shown` : `${shown} of ${all.length} shown`;
  }
  for (const find of document.querySelectorAll("[data-find]")) {
    const target = find.dataset.find;
    for (const control of find.closest(".filters").querySelectorAll("input, select")) {
      control.addEventListener("input", () => filter(target));
    }
    filter(target);
  }

  window.addEventListener("beforeprint", () => {
    for (const block of document.querySelectorAll("details")) block.open = true;
  });
})();
