// What a search thinks: worth of roles, bars of moves, the expected line, figures, clusters,
// and the value over the game.

import { html, keep, plain, short, svg, tone } from "./drawing.js";

const BARS = 8;

/** The role whose moves are shown: the first that chooses. */
const chooser = (analysis) => Math.max(0, analysis.roles.findIndex((role) => role.chooses));

/** What is expected from the best move on. */
export function bestLine(analysis) {
  return analysis.roles[chooser(analysis)]?.moves[0]?.line ?? [];
}

const proven = (value) => (value === null ? "" : ` proven ${value}`);

/** What each role is worth: a bar that they share, and numbers. */
export function drawWorth(place, analysis, roles) {
  const [bar, names] = keep(place, 2, (part) => html("div", { className: part ? "worths" : "worth" }));
  const values = analysis.roles.map((role) => role.proven ?? role.value);
  const sum = values.reduce((all, value) => all + value, 0);
  bar.hidden = roles.length < 2;
  bar.setAttribute("aria-hidden", "true");
  keep(bar, roles.length, (role) => html("span", { className: tone(roles[role], roles) })).forEach((part, role) => {
    part.style.width = `${sum > 0 ? (100 * values[role]) / sum : 100 / values.length}%`;
  });
  names.replaceChildren(...analysis.roles.map((role, number) => {
    const badge = role.proven === null ? null : html("em", { className: "proven", textContent: "proven" });
    return html("span", { title: `${roles[number]} ${values[number].toFixed(1)} of 100${proven(role.proven)}` },
      `${roles[number]} `, html("b", { textContent: values[number].toFixed(1) }), badge);
  }));
}

/** Moves with their visits as bars, and their means. */
export function drawBars(place, analysis, { roles, onMove }) {
  const role = chooser(analysis);
  const { moves, more } = analysis.roles[role] ?? { moves: [], more: 0 };
  const told = moves.slice(0, BARS);
  const most = Math.max(1, ...told.map((move) => move.visits));
  const [list, rest] = keep(place, 2, (part) => (part ? html("p", { className: "rest" }) : html("ol", { className: "bars" })));
  // Names are as wide as the longest of them.
  list.style.setProperty("--letters", String(Math.max(...told.map((move) => name(move).length), 4)));
  keep(list, told.length, () => html("li", {}, barButton())).forEach((row, place) => {
    fillBar(row.firstElementChild, told[place], most, tone(roles[role], roles));
    row.firstElementChild.onclick = () => onMove(analysis.ply, role, told[place]);
  });
  const left = moves.length - told.length + more;
  rest.textContent = left > 0 ? `and ${left} more` : "";
}

const name = (move) => plain(move.text) + (move.share === null ? "" : ` ${Math.round(100 * move.share)} %`);

function barButton() {
  const fill = html("span");
  const part = (className, ...children) => html("span", { className }, ...children);
  return html("button", { type: "button", className: "bar" }, part("name"), part("track", fill), part("visits"), part("mean"));
}

function fillBar(button, move, most, tint) {
  const [text, track, visits, mean] = button.children;
  const worth = move.proven ?? move.mean;
  button.title = `${move.visits.toLocaleString("en")} visits, mean ${move.mean.toFixed(2)}${proven(move.proven)}`;
  button.setAttribute("aria-label", `${plain(move.text)}: ${move.visits} visits, mean ${worth.toFixed(1)}${proven(move.proven)}`);
  text.textContent = name(move);
  track.firstElementChild.className = `fill ${tint}`;
  track.firstElementChild.style.width = `${(100 * move.visits) / most}%`;
  visits.textContent = short(move.visits);
  mean.className = ["mean", ...(move.proven === null ? [] : ["proven"]), ...(worth >= 100 ? ["won"] : worth <= 0 ? ["lost"] : [])].join(" ");
  // Nobody knows anything of a move that nobody has tried.
  const isKnown = move.visits > 0 || move.proven !== null;
  mean.textContent = isKnown ? worth.toFixed(move.proven === null ? 1 : 0) : "–";
}

/** The expected line in words. */
export function drawLine(place, analysis, roles) {
  const words = bestLine(analysis).map((step, index) =>
    html("span", { className: `word ${tone(roles[step.role], roles)}`, title: roles[step.role] },
      html("i", { textContent: String(index + 1) }), plain(step.text)));
  place.replaceChildren(...words);
}

/** Playouts, speed, tree. */
export function drawFigures(place, analysis) {
  const entries = [
    ["playouts", short(analysis.playouts)],
    ["per second", short(analysis.rate)],
    ["positions", short(analysis.nodes)],
    ["seconds", analysis.seconds.toFixed(1)],
  ];
  if (analysis.is_complete) entries.push(["", "all is known"]);
  place.replaceChildren(...entries.map(([name, value]) =>
    html("div", {}, html("dt", { textContent: name }), html("dd", { textContent: value }))));
}

let before = null;

/** What each cluster is doing: how busy it was since the last time, and what it has to do. */
export function drawClusters(place, analysis) {
  const now = { time: performance.now() / 1000, clusters: analysis.clusters };
  const since = before?.clusters.length === now.clusters.length ? before : null;
  const [list] = keep(place, now.clusters.length ? 1 : 0, () => html("ol", { className: "clusters" }));
  before = now;
  if (!list) return;
  const passed = since ? Math.max(0.02, now.time - since.time) : 1;
  keep(list, now.clusters.length, clusterRow).forEach((row, number) => {
    const cluster = now.clusters[number];
    const [, track, state] = row.children;
    const busy = since ? (cluster.seconds - since.clusters[number].seconds) / passed : 0;
    const share = Math.round(100 * Math.min(1, Math.max(0, busy)));
    row.title = `${cluster.positions.toLocaleString("en")} positions, ${cluster.waiting} parts to play`;
    track.setAttribute("aria-label", `${share} % busy`);
    track.firstElementChild.style.width = `${share}%`;
    state.textContent = cluster.is_lost ? "lost" : `${short(cluster.playouts)} playouts`;
  });
}

function clusterRow(number) {
  return html("li", {},
    html("span", { className: "name", textContent: `cluster ${number}` }),
    html("span", { className: "track", role: "img" }, html("span", { className: "fill" })),
    html("span", { className: "state" }));
}

const [WIDTH, HEIGHT] = [320, 84];

/** What the roles were worth over the game; a click goes there. */
export function drawChart(place, { values, roles, ply, onPly }) {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) {
    place.replaceChildren();
    return;
  }
  const last = Math.max(1, values.length - 1);
  const at = (index) => 6 + ((WIDTH - 12) * index) / last;
  const up = (value) => 4 + (HEIGHT - 8) * (1 - Math.min(100, Math.max(0, value)) / 100);
  const chart = svg("svg", {
    class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", preserveAspectRatio: "none",
    "aria-label": `value over the game: ${roles.map((role, number) => `${role} ${known[known.length - 1][number].toFixed(0)}`).join(", ")} at last`,
  });
  chart.append(svg("line", { class: "middle", x1: 0, x2: WIDTH, y1: up(50), y2: up(50) }));
  chart.append(svg("line", { class: "here", x1: at(ply), x2: at(ply), y1: 0, y2: HEIGHT }));
  // What one of two wins the other loses: a second line would say the same.
  const isShared = roles.length === 2 && known.every(([one, other]) => Math.abs(one + other - 100) < 3);
  const told = isShared ? [0] : roles.map((_, role) => role);
  for (const role of told) {
    const points = values.map((value, index) => (value === null ? null : [at(index), up(value[role])])).filter(Boolean);
    const path = points.map((point) => point.map((part) => part.toFixed(1)).join(" ")).join("L");
    const [from, to] = [points[0][0], points[points.length - 1][0]];
    if (isShared) chart.append(svg("path", { class: `area ${tone(roles[role], roles)}`, d: `M${from} ${HEIGHT}L${path}L${to} ${HEIGHT}z` }));
    chart.append(svg("path", { class: `value ${tone(roles[role], roles)}`, d: `M${path}` }));
  }
  chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    onPly(Math.round(((event.clientX - box.left) / box.width) * last));
  });
  const caption = html("p", { className: "caption", textContent: `value of ${told.map((role) => roles[role]).join(", ")} over the game` });
  place.replaceChildren(chart, caption);
}
