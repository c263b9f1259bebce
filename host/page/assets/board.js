// The boards of a position: cells, pieces, what may be done, what was done, what is expected.

import { html, piece, plain, svg, tone } from "./drawing.js";

const CELL = 10;
// Steps of an expected line that are drawn.
const STEPS = 4;

const key = ({ grid, column, row }) => `${grid} ${column} ${row}`;
const isBlank = (grid, content) => content === "" || content === grid.blank || /^(blank|empty)$/i.test(content);

/** Which moves a cell stands for. */
export class Meaning {
  constructor(choices) {
    this.from = new Map();
    this.at = new Map();
    this.along = new Map();
    for (const choice of choices) {
      const { cells, strip } = choice;
      if (cells.length > 1) add(this.from, cells[0], choice);
      if (cells.length === 1) add(this.at, cells[0], choice);
      // Two that change places are alike; a row or column only helps to hit its cell.
      const map = cells.length === 1 && strip.length === 1 ? this.at : this.along;
      for (const cell of strip) add(map, cell, choice);
    }
  }

  /** Moves that are made by clicking here, from a chosen cell if there is one. */
  moves(cell, chosen) {
    if (chosen) {
      const from = this.from.get(key(chosen)) ?? [];
      return from.filter(({ cells }) => key(cells[cells.length - 1]) === key(cell));
    }
    return this.at.get(key(cell)) ?? this.along.get(key(cell)) ?? [];
  }

  /** Moves that begin here. */
  begins(cell) {
    return this.from.get(key(cell)) ?? [];
  }
}

function add(map, cell, choice) {
  const known = map.get(key(cell));
  if (known) known.push(choice);
  else map.set(key(cell), [choice]);
}

/** Draws all boards of a view into a place. */
export function draw(place, view, { roles, meaning, chosen, focus, onCell }) {
  const grids = view.picture.grids;
  const drawn = grids.map((grid, number) =>
    figure(grid, number, { view, roles, meaning, chosen, onCell, many: grids.length > 1 }));
  place.replaceChildren(...drawn);
  place.classList.toggle("several", grids.length > 1);
  rove(place, focus);
}

function figure(grid, number, scene) {
  const [columns, rows] = [grid.columns.length, grid.rows.length];
  const [width, height] = [columns * CELL, rows * CELL];
  const size = scale(grid);
  const edge = 4 * size;
  const board = svg("svg", {
    class: "board", role: "grid", "aria-label": `board ${grid.title}`,
    viewBox: `${-edge} -1 ${width + edge + 1} ${height + edge + 1}`,
    "aria-rowcount": rows, "aria-colcount": columns,
  });
  board.append(svg("rect", { class: "frame", x: -0.6 * size, y: -0.6 * size, width: width + 1.2 * size, height: height + 1.2 * size, rx: 0.9 + 0.5 * size }));
  for (let row = rows - 1; row >= 0; row -= 1) {
    const line = svg("g", { role: "row" });
    for (let column = 0; column < columns; column += 1) {
      const content = grid.cells[row][column];
      if (content === null) continue;
      line.append(cellOf(grid, { grid: number, column, row }, content, scene));
    }
    board.append(line);
  }
  board.append(labels(grid), svg("g", { class: "expected", "aria-hidden": "true" }));
  const element = html("figure", {}, board);
  // A board fills the room that it has, whatever its shape is.
  element.style.setProperty("--shape", String((width + edge) / (height + edge)));
  if (scene.many) element.append(html("figcaption", { textContent: grid.title }));
  return element;
}

/** How large what is not a piece is drawn: cells of small boards are large. */
const scale = (grid) => Math.min(1.2, Math.max(0.45, Math.max(grid.columns.length, grid.rows.length) / 8));

const x = (column) => column * CELL;
const y = (grid, row) => (grid.rows.length - 1 - row) * CELL;

function cellOf(grid, cell, content, scene) {
  const { view, roles, meaning, chosen, onCell } = scene;
  const is = (cells) => cells.some((other) => key(other) === key(cell));
  const targets = meaning.moves(cell, chosen);
  const begins = chosen ? [] : meaning.begins(cell);
  const classes = ["cell", (cell.column + cell.row) % 2 ? "odd" : "even"];
  if (is(view.played)) classes.push("played");
  else if (is(view.changes)) classes.push("changed");
  if (chosen && key(chosen) === key(cell)) classes.push("chosen");
  if (targets.length) classes.push(chosen || meaning.at.has(key(cell)) ? "target" : "strip");
  if (begins.length) classes.push("source");
  const blank = isBlank(grid, content);
  const element = svg("g", {
    class: classes.join(" "), role: "gridcell", tabindex: -1,
    transform: `translate(${x(cell.column)} ${y(grid, cell.row)})`,
    "aria-label": spoken(grid, cell, blank ? "empty" : content, targets, begins),
    "data-cell": key(cell),
  });
  element.append(svg("rect", { class: "ground", x: 0.25, y: 0.25, width: CELL - 0.5, height: CELL - 0.5, rx: 0.9 }));
  if (!blank) element.append(...content.split("/").slice(0, 1).map((it) => piece(it, roles)));
  if (targets.length) element.append(svg("circle", { class: blank ? "hint" : "hint taken", cx: 5, cy: 5, r: blank ? 1.2 * scale(grid) : 4.3, "stroke-width": 0.6 * scale(grid) }));
  element.addEventListener("click", () => onCell(cell));
  return element;
}

function spoken(grid, cell, content, targets, begins) {
  const where = `${grid.columns[cell.column]} ${grid.rows[cell.row]}: ${content}`;
  if (targets.length) return `${where}, move ${plain(targets[0].text)}`;
  return begins.length ? `${where}, can move` : where;
}

function labels(grid) {
  const size = scale(grid);
  const texts = svg("g", { class: "labels", "aria-hidden": "true", "font-size": 1.9 * size });
  grid.columns.forEach((text, column) => {
    texts.append(svg("text", { x: x(column) + 5, y: grid.rows.length * CELL + 0.6 + 2.2 * size }, text));
  });
  grid.rows.forEach((text, row) => {
    texts.append(svg("text", { x: -0.6 - 1.7 * size, y: y(grid, row) + 5 + 0.7 * size }, text));
  });
  return texts;
}

/** Draws what is expected onto the boards of a view. Nothing else is touched: this changes
 * while somebody clicks. */
export function drawExpected(place, view, line, roles) {
  place.querySelectorAll(".expected").forEach((layer, number) => {
    layer.replaceChildren(...expected(view.picture.grids[number], number, line, roles));
  });
}

/** The first steps of what is expected, each with its number. */
function expected(grid, number, line, roles) {
  const marks = [];
  const seen = new Set();
  line.slice(0, STEPS).forEach((step, index) => {
    const cells = step.cells.filter((cell) => cell.grid === number);
    if (!cells.length) return;
    const to = cells[cells.length - 1];
    const [cx, cy] = [x(to.column) + 5, y(grid, to.row) + 5];
    const tint = tone(roles[step.role], roles);
    const mark = svg("g", { class: `step ${tint}`, opacity: 1 - index * 0.18 });
    if (cells.length > 1) {
      mark.append(svg("line", {
        x1: x(cells[0].column) + 5, y1: y(grid, cells[0].row) + 5, x2: cx, y2: cy,
      }));
    }
    // A cell that is entered twice shows the first time.
    if (!seen.has(key(to))) {
      const size = scale(grid);
      mark.append(svg("circle", { cx, cy, r: 1.9 * size }),
        svg("text", { x: cx, y: cy + 0.95 * size, "font-size": 2.6 * size }, String(index + 1)));
    }
    seen.add(key(to));
    marks.push(mark);
  });
  return marks;
}

/** One cell can be reached by the tab key, all others by arrows. */
function rove(place, focus) {
  const cells = [...place.querySelectorAll(".cell")];
  const known = cells.find((cell) => cell.dataset.cell === focus);
  const first = known ?? cells.find((cell) => cell.matches(".target, .source, .strip")) ?? cells[0];
  first?.setAttribute("tabindex", "0");
  if (known && focus !== null) known.focus({ preventScroll: true });
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Arrows go from cell to cell; returns whether the key was for the board. */
export function steer(place, event) {
  const from = event.target.closest?.(".cell");
  const step = ARROWS[event.key];
  if (!from || !step || !place.contains(from)) return false;
  let [grid, column, row] = from.dataset.cell.split(" ").map(Number);
  for (let tries = 0; tries < 40; tries += 1) {
    [column, row] = [column + step[0], row + step[1]];
    const to = place.querySelector(`[data-cell="${grid} ${column} ${row}"]`);
    if (to) {
      from.setAttribute("tabindex", "-1");
      to.setAttribute("tabindex", "0");
      to.focus();
      break;
    }
  }
  return true;
}

/** What is on no board: names with their values, small numbers as dots. */
export function drawBeside(place, fluents) {
  const entries = fluents.slice(0, 40).map((text) => {
    const words = plain(text).replaceAll(/[()]/g, "").split(/\s+/);
    const value = words[words.length - 1];
    const count = words.length > 1 && /^\d+$/.test(value) ? Number(value) : null;
    const name = html("span", { textContent: words.slice(0, -1).join(" ") || value });
    if (words.length === 1) return html("li", {}, name);
    const shown = html("b", { textContent: value });
    const dots = count !== null && count > 0 && count <= 24
      ? html("i", { className: "dots", "aria-hidden": "true", textContent: "●".repeat(count) }) : null;
    return html("li", {}, name, " ", shown, dots);
  });
  if (fluents.length > 40) entries.push(html("li", { textContent: `and ${fluents.length - 40} more` }));
  place.replaceChildren(...entries);
}
