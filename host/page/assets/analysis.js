// What a search thinks: worth of roles, bars of moves, the expected line, figures, clusters,
// and the value over the game.

import { html, plain, short, svg, tone } from "./drawing.js";

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
  const values = analysis.roles.map((role) => role.proven ?? role.value);
  const sum = values.reduce((all, value) => all + value, 0);
  const bar = html("div", { className: "worth", "aria-hidden": "true" });
  const names = html("div", { className: "worths" });
  analysis.roles.forEach((role, number) => {
    const part = html("span", { className: tone(roles[number], roles) });
    part.style.width = `${sum > 0 ? (100 * values[number]) / sum : 100 / values.length}%`;
    bar.append(part);
    const badge = role.proven === null ? null : html("em", { className: "proven", textContent: "proven" });
    names.append(html("span", { title: `${roles[number]} ${values[number].toFixed(1)} of 100${proven(role.proven)}` },
      `${roles[number]} `, html("b", { textContent: values[number].toFixed(1) }), badge));
  });
  place.replaceChildren(...(roles.length > 1 ? [bar, names] : [names]));
}

/** Moves with their visits as bars, and their means. */
export function drawBars(place, analysis, { roles, onMove }) {
  const role = chooser(analysis);
  const { moves, more } = analysis.roles[role] ?? { moves: [], more: 0 };
  const most = Math.max(1, ...moves.map((move) => move.visits));
  const rows = moves.slice(0, BARS).map((move) => {
    const fill = html("span", { className: `fill ${tone(roles[role], roles)}` });
    fill.style.width = `${(100 * move.visits) / most}%`;
    const worth = move.proven ?? move.mean;
    const share = move.share === null ? "" : ` ${Math.round(100 * move.share)} %`;
    const button = html("button", {
      type: "button", className: "bar",
      title: `${move.visits.toLocaleString("en")} visits, mean ${move.mean.toFixed(2)}${proven(move.proven)}`,
      "aria-label": `${plain(move.text)}: ${move.visits} visits, mean ${worth.toFixed(1)}${proven(move.proven)}`,
    },
    html("span", { className: "name", textContent: plain(move.text) + share }),
    html("span", { className: "track" }, fill),
    html("span", { className: "visits", textContent: short(move.visits) }),
    html("span", { className: move.proven === null ? "mean" : "mean proven", textContent: worth.toFixed(move.proven === null ? 1 : 0) }));
    button.addEventListener("click", () => onMove(analysis.ply, role, move));
    return html("li", {}, button);
  });
  const rest = moves.length - BARS + more;
  if (rest > 0) rows.push(html("li", { className: "rest", textContent: `and ${rest} more` }));
  place.replaceChildren(html("ol", { className: "bars" }, ...rows));
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
  const rows = now.clusters.map((cluster, number) => {
    const passed = since ? Math.max(0.02, now.time - since.time) : 1;
    const busy = since ? Math.min(1, Math.max(0, (cluster.seconds - since.clusters[number].seconds) / passed)) : 0;
    const state = cluster.is_lost ? "lost" : `${short(cluster.playouts)} playouts`;
    const fill = html("span", { className: "fill" });
    fill.style.width = `${100 * busy}%`;
    return html("li", { title: `${cluster.positions.toLocaleString("en")} positions, ${cluster.waiting} parts to play` },
      html("span", { className: "name", textContent: `cluster ${number}` }),
      html("span", { className: "track", "aria-label": `${Math.round(100 * busy)} % busy` }, fill),
      html("span", { className: "state", textContent: state }));
  });
  before = now;
  place.replaceChildren(...(rows.length ? [html("ol", { className: "clusters" }, ...rows)] : []));
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
  const drawn = roles.length === 2 && known.every(([one, other]) => Math.abs(one + other - 100) < 0.6) ? [0] : roles.map((_, role) => role);
  for (const role of drawn) {
    const points = values.map((value, index) => (value === null ? null : [at(index), up(value[role])])).filter(Boolean);
    chart.append(svg("polyline", { class: `value ${tone(roles[role], roles)}`, points: points.map((point) => point.join(",")).join(" ") }));
  }
  chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    onPly(Math.round(((event.clientX - box.left) / box.width) * last));
  });
  const caption = html("p", { className: "caption", textContent: `value of ${drawn.map((role) => roles[role]).join(", ")} over the game` });
  place.replaceChildren(chart, caption);
}
