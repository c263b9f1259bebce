// Shows the values of what is pointed at or focused. Without this script the
// browser shows each <title>.
(() => {
  "use strict";
  const tip = document.getElementById("tip");
  const data = [...document.querySelectorAll(".datum")];

  for (const datum of data) {
    const title = datum.querySelector("title");
    datum.dataset.words = title.textContent;
    datum.setAttribute("aria-label", title.textContent.replaceAll("\n", ", "));
    title.remove();
  }

  const place = (datum) => {
    const target = (datum.querySelector(".shape, rect") ?? datum).getBoundingClientRect();
    const box = tip.getBoundingClientRect();
    const room = document.documentElement.clientWidth - box.width - 8;
    const left = target.left + target.width / 2 - box.width / 2;
    const above = target.top - box.height - 8;
    tip.style.left = `${Math.max(8, Math.min(left, room))}px`;
    tip.style.top = `${above > 8 ? above : target.bottom + 8}px`;
  };

  const hasCurve = (chart, series) =>
    [...chart.querySelectorAll(".curve")].some((curve) => curve.dataset.series === series);

  const emphasise = (chart, series) => {
    for (const curve of chart.querySelectorAll(".curve")) {
      curve.classList.toggle("faded", series !== null && curve.dataset.series !== series);
    }
  };

  let shown = null;
  const show = (datum) => {
    shown = datum;
    const [first, ...rest] = datum.dataset.words.split("\n");
    const heading = document.createElement("b");
    heading.textContent = first;
    tip.replaceChildren(heading, "\n" + rest.join("\n"));
    tip.hidden = false;
    place(datum);
  };

  const hide = () => {
    shown = null;
    tip.hidden = true;
  };
  const datumOf = (event) => event.target.closest?.(".datum");

  document.addEventListener("pointerover", (event) => {
    const datum = datumOf(event);
    if (datum) show(datum); else hide();
    const entry = event.target.closest?.(".legend li[data-for]");
    for (const figure of document.querySelectorAll("figure.pointed")) {
      figure.classList.remove("pointed");
      emphasise(figure, null);
    }
    const figure = entry?.closest("figure");
    if (figure && hasCurve(figure, entry.dataset.for)) {
      figure.classList.add("pointed");
      emphasise(figure, entry.dataset.for);
    }
  });
  document.addEventListener("focusin", (event) => {
    const datum = datumOf(event);
    if (datum) show(datum); else hide();
  });
  document.addEventListener("focusout", hide);
  // Focus may scroll: what is shown stays with what it is about.
  document.addEventListener("scroll", () => { if (shown) place(shown); }, { passive: true, capture: true });

  // One stop of the tab key per chart; arrows go on from there.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    const datum = datumOf(event);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!datum || !step) return;
    event.preventDefault();
    const all = [...datum.ownerSVGElement.querySelectorAll(".datum")];
    const next = all[(all.indexOf(datum) + step + all.length) % all.length];
    datum.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
    // A window in the background has no events of focus.
    show(next);
  });
})();
