// The page: asks how the game stands, draws it, and says what was clicked.

import * as server from "./server.js";
import { Meaning, draw, drawBeside, drawExpected, steer } from "./board.js";
import { bestLine, drawBars, drawChart, drawClusters, drawFigures, drawLine, drawWorth } from "./analysis.js";
import { html, plain, tone } from "./drawing.js";

const at = (id) => document.getElementById(id);

let scene = null; // how the game stands
let view = null; // the position that is shown
let shown = null; // its ply, if it is not the last one
let chosen = null; // the cell that a move begins at
let wanted = ""; // what the legal moves are filtered by
const views = new Map();
// What is drawn already and need not be drawn again.
const drawn = { stage: null, players: null, choices: null, history: null, trouble: null };

const ply = () => shown ?? scene.ply;
const isLast = () => ply() === scene.ply;

/** The role that a person moves for now. */
const mover = () => {
  if (scene.mode === "replay" || !isLast()) return -1;
  return scene.waits.findIndex(Boolean);
};

/** Moves that the person may make here. */
function choices() {
  const role = mover();
  if (role < 0 || view.ply !== scene.ply) return [];
  return view.legal[role].map((choice, number) => ({ ...choice, role, number }));
}

// ---- asking

async function look() {
  const [branch, place] = [scene.branch, ply()];
  const name = `${branch} ${place}`;
  if (!views.has(name)) {
    const found = await server.position(place).catch(() => null);
    if (!found) return;
    if (views.size > 400) views.clear();
    views.set(`${found.branch} ${found.ply}`, found);
  }
  const found = views.get(name);
  if (!found) return;
  if (view !== found) chosen = null;
  view = found;
}

async function order(what) {
  const refused = await server.order(what).catch(() => "the program does not answer");
  if (refused) say(refused);
}

function say(text) {
  at("trouble").textContent = text;
  at("trouble").hidden = !text;
}

async function listen() {
  let known = null;
  for (;;) {
    try {
      scene = await server.state(known);
      known = scene.version;
      document.body.classList.remove("lost");
    } catch {
      document.body.classList.add("lost");
      at("status").textContent = "the program has ended, or cannot be reached";
      await new Promise((wake) => setTimeout(wake, 1000));
      continue;
    }
    if (shown !== null && shown >= scene.ply) shown = null;
    await render();
  }
}

// ---- drawing

async function render() {
  await look();
  if (!view) return;
  drawHead();
  drawStage();
  drawSteps();
  drawPlayers();
  drawChoices();
  drawAnalysis();
  drawHistory();
  if (!document.body.dataset.painted) {
    // What first paint takes, for whoever measures it.
    requestAnimationFrame(() => { document.body.dataset.painted = String(Math.round(performance.now())); });
  }
}

function status() {
  const { roles, goals } = scene;
  if (scene.mode === "watch") return scene.analysis?.is_running ? "a search is running" : "the search is over";
  if (!isLast()) return `position ${ply()} of ${scene.ply}`;
  if (goals) return `${roles.map((role, number) => `${role} ${goals[number].join(", ")}`).join(", ")}`;
  if (scene.is_over) return "a role has no legal move: the game cannot go on";
  if (scene.mode === "replay") return "a game that was played";
  const role = mover();
  if (role >= 0) return `your move: ${roles[role]}`;
  if (scene.is_paused) return "paused";
  const thinking = roles.filter((_, number) => scene.turns[number]);
  return thinking.length === 1 ? `${thinking[0]} is thinking` : "all are thinking";
}

function drawHead() {
  at("game").textContent = scene.game.replace(/^.*\//, "");
  document.title = `${at("game").textContent}: ${status()} · Ruche`;
  if (at("status").textContent !== status()) at("status").textContent = status();
  at("status").classList.toggle("busy", scene.task === "choose" || (scene.mode === "watch" && Boolean(scene.analysis?.is_running)));
  if (scene.trouble) say(scene.trouble);
  else if (at("trouble").textContent === drawn.trouble) say("");
  drawn.trouble = scene.trouble;
  const winner = isLast() && scene.goals ? verdict() : "";
  at("verdict").textContent = winner;
  at("verdict").hidden = !winner;
}

/** Who has won, where that can be said. */
function verdict() {
  const goals = scene.goals.map((goals) => goals[0] ?? 0);
  if (goals.length === 1) return `${scene.roles[0]} reaches ${goals[0]}`;
  const best = Math.max(...goals);
  const winners = scene.roles.filter((_, role) => goals[role] === best);
  return winners.length === 1 ? `${winners[0]} wins` : winners.length === goals.length ? "a draw" : `${winners.join(" and ")} win`;
}

function drawStage() {
  const analysis = scene.analysis;
  const name = JSON.stringify([view.branch, view.ply, chosen, mover()]);
  if (drawn.stage !== name) drawBoards();
  drawn.stage = name;
  const line = analysis && analysis.ply === ply() ? bestLine(analysis) : [];
  drawExpected(at("boards"), view, line, scene.roles);
}

function drawBoards() {
  const active = document.activeElement;
  const focus = at("boards").contains(active) ? active.dataset.cell ?? null : null;
  draw(at("boards"), view, { roles: scene.roles, meaning: new Meaning(choices()), chosen, focus, onCell });
  at("boards").classList.toggle("mine", mover() >= 0);
  at("stage").classList.toggle("bare", view.picture.grids.length === 0);
  drawBeside(at("beside"), view.picture.others);
}

function drawSteps() {
  const slider = at("slider");
  slider.max = String(scene.ply);
  slider.value = String(ply());
  slider.setAttribute("aria-valuetext", `position ${ply()} of ${scene.ply}`);
  at("first").disabled = at("previous").disabled = ply() === 0;
  at("last").disabled = at("next").disabled = isLast();
  const isPlay = scene.mode === "play";
  const persons = scene.players.filter((player) => player === "person").length;
  at("steps").hidden = scene.ply === 0;
  at("back").hidden = !isPlay || !isLast() || !persons;
  at("back").disabled = backTo() === null;
  at("here").hidden = scene.mode === "watch" || (isPlay && isLast());
  at("pause").hidden = !isPlay || (persons === scene.players.length) || scene.is_over;
  at("pause").textContent = scene.is_paused ? "Go on" : "Pause";
  at("now").hidden = !isPlay || scene.task !== "choose";
  at("new").hidden = scene.mode === "watch";
  at("new").disabled = scene.ply === 0;
}

/** The last position in which a person had a choice. */
function backTo() {
  for (let place = scene.ply - 1; place >= 0; place -= 1) {
    if (scene.moves[place].some((move, role) => move !== null && scene.players[role] === "person")) return place;
  }
  return null;
}

const KINDS = [["person", "person"], ["engine", "engine"], ["random", "random moves"], ["legal", "first legal move"], ["", "player at an address…"]];
const TIMES = [0.2, 0.5, 1, 2, 5, 10, 30, 60];

function drawPlayers() {
  const say = JSON.stringify([scene.players, scene.turns, scene.mode, scene.seconds, scene.has_engine]);
  if (drawn.players === say || at("players").contains(document.activeElement)) return;
  drawn.players = say;
  at("players").hidden = scene.mode === "watch";
  const rows = scene.roles.map((role, number) => {
    return html("li", { className: scene.turns[number] ? "turn" : "" },
      html("span", { className: `dot ${tone(role, scene.roles)}`, "aria-hidden": "true" }),
      html("span", { className: "name", textContent: role }),
      scene.mode === "play" ? seat(role, number) : html("span", { className: "who", textContent: scene.players[number] }));
  });
  const list = html("ul", {}, ...rows);
  at("players").replaceChildren(html("h2", { textContent: "Players" }), list);
  if (scene.mode === "play" && scene.has_engine) at("players").append(time());
}

function seat(role, number) {
  const player = scene.players[number];
  const known = KINDS.some(([value]) => value === player);
  const options = KINDS.map(([value, text]) => html("option", { value, textContent: text, selected: value === player }));
  if (!known) options.unshift(html("option", { value: player, textContent: player, selected: true }));
  const select = html("select", { "aria-label": `who plays ${role}` }, ...options);
  select.addEventListener("change", () => {
    if (select.value) {
      select.blur();
      order({ do: "seat", role: number, player: select.value });
    } else {
      select.replaceWith(address(role, number));
      at(`address-${number}`).focus();
    }
  });
  return select;
}

/** A field for the address of a player, or for settings of the search. */
function address(role, number) {
  const field = html("input", {
    id: `address-${number}`, type: "text", placeholder: "http://127.0.0.1:9147",
    "aria-label": `address of the player of ${role}`, spellcheck: false, autocomplete: "off",
  });
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    const player = field.value.trim();
    if (event.key === "Enter" && player) order({ do: "seat", role: number, player });
    if (event.key === "Enter" || event.key === "Escape") field.blur();
  });
  // Whoever leaves the field sees the players again, as they are by then.
  field.addEventListener("blur", () => { drawn.players = null; setTimeout(render); });
  return field;
}

function time() {
  const times = scene.seconds === null || TIMES.includes(scene.seconds) ? TIMES : [...TIMES, scene.seconds].sort((one, other) => one - other);
  const options = times.map((value) => html("option", { value: String(value), textContent: `${value} s`, selected: value === scene.seconds }));
  if (scene.seconds === null) options.unshift(html("option", { value: "", textContent: `${scene.playouts} playouts`, selected: true }));
  const select = html("select", { "aria-label": "time of the engine for a move" }, ...options);
  select.addEventListener("change", () => {
    select.blur();
    if (select.value) order({ do: "seconds", seconds: Number(select.value) });
  });
  return html("label", { className: "time" }, html("span", { textContent: "engine, each move" }), select);
}

const MOST_LISTED = 150;

function drawChoices() {
  const all = choices();
  at("choices").hidden = !all.length;
  const isOnBoard = all.every(({ cells }) => cells.length > 0);
  if (all.length && !isOnBoard) at("choices").open = true;
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = all.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
  const name = `${view.branch} ${view.ply} ${mover()} ${wanted}`;
  at("choices-title").textContent = `Legal moves: ${fits.length}`;
  if (drawn.choices === name) return;
  drawn.choices = name;
  const buttons = fits.slice(0, MOST_LISTED).map((choice) => {
    const button = html("button", { type: "button", textContent: plain(choice.text) });
    button.addEventListener("click", () => play(choice));
    return html("li", {}, button);
  });
  if (fits.length > MOST_LISTED) buttons.push(html("li", { textContent: `and ${fits.length - MOST_LISTED} more` }));
  at("legal").replaceChildren(...buttons);
}

function drawAnalysis() {
  // What was thought about the last move stays until there is something newer.
  const known = scene.analysis;
  const analysis = known && (known.ply === ply() || (isLast() && known.ply < scene.ply)) ? known : null;
  const isOld = analysis && analysis.ply !== ply();
  at("analysis-title").textContent = isOld ? `Analysis of position ${analysis.ply}` : "Analysis";
  at("analyse").checked = scene.wish !== null || scene.mode === "watch";
  at("analyse").disabled = scene.mode === "watch" || !scene.has_engine;
  at("analysis").classList.toggle("running", Boolean(analysis?.is_running));
  at("analysis").classList.toggle("empty", !analysis);
  if (analysis) {
    drawWorth(at("worth"), analysis, scene.roles);
    drawBars(at("bars"), analysis, { roles: scene.roles, onMove: onBar });
    drawLine(at("line"), analysis, scene.roles);
    drawFigures(at("figures"), analysis);
    drawClusters(at("clusters"), analysis);
  } else {
    for (const id of ["worth", "bars", "line", "figures", "clusters"]) at(id).replaceChildren();
  }
  drawChart(at("chart"), { values: scene.values, roles: scene.roles, ply: ply(), onPly: go });
}

function drawHistory() {
  const name = `${scene.branch} ${scene.ply} ${ply()}`;
  if (drawn.history === name) return;
  drawn.history = name;
  at("history").hidden = scene.ply === 0;
  const entries = scene.moves.map((joint, number) => {
    const words = joint.flatMap((move, role) => (move === null ? [] : [
      html("span", { className: `dot ${tone(scene.roles[role], scene.roles)}`, "aria-hidden": "true" }),
      html("span", { textContent: plain(move) }),
    ]));
    const button = html("button", { type: "button" }, ...(words.length ? words : [html("span", { textContent: "no choice" })]));
    if (number + 1 === ply()) button.setAttribute("aria-current", "step");
    button.addEventListener("click", () => go(number + 1));
    return html("li", {}, button);
  });
  at("moves").replaceChildren(...entries);
  const current = at("moves").querySelector("[aria-current]");
  if (current) at("moves").scrollTop = current.offsetTop - at("moves").clientHeight / 2;
}

// ---- doing

function play({ role, number }) {
  chosen = null;
  order({ do: "move", ply: view.ply, branch: view.branch, role, number });
}

function onCell(cell) {
  const meaning = new Meaning(choices());
  const moves = meaning.moves(cell, chosen);
  if (moves.length === 1) return play(moves[0]);
  if (moves.length > 1) {
    // The same cells mean several moves: the list says which.
    wanted = plain(moves[0].text).split(" ")[0];
    at("filter").value = wanted;
    openChoices();
  }
  const isSame = chosen && JSON.stringify(chosen) === JSON.stringify(cell);
  chosen = !isSame && meaning.begins(cell).length ? cell : null;
  render();
}

/** A move out of the analysis is played if it is a person's turn. */
function onBar(place, role, move) {
  if (place === scene.ply && mover() === role) play({ role, number: move.number });
}

function go(place) {
  const next = Math.min(scene.ply, Math.max(0, place));
  shown = next === scene.ply ? null : next;
  if (scene.wish !== null && scene.mode !== "watch") order({ do: "analyse", ply: next });
  render();
}

function wire() {
  const click = (id, then) => at(id).addEventListener("click", then);
  click("first", () => go(0));
  click("previous", () => go(ply() - 1));
  click("next", () => go(ply() + 1));
  click("last", () => go(scene.ply));
  click("back", takeBack);
  click("here", () => { const place = ply(); shown = null; order({ do: "back", ply: place }); });
  click("pause", () => order({ do: "pause", on: !scene.is_paused }));
  click("now", () => order({ do: "now" }));
  click("new", () => { shown = null; order({ do: "back", ply: 0 }); });
  click("theme", switchTheme);
  at("slider").addEventListener("input", (event) => go(Number(event.target.value)));
  at("analyse").addEventListener("change", (event) => order({ do: "analyse", ply: event.target.checked ? ply() : null }));
  at("filter").addEventListener("input", (event) => { wanted = event.target.value; drawChoices(); });
  document.addEventListener("keydown", onKey);
}

function openChoices() {
  at("choices").open = true;
  at("filter").focus();
}

function takeBack() {
  const place = backTo();
  if (place !== null) order({ do: "back", ply: place });
}

const KEYS = {
  ArrowLeft: () => go(ply() - 1),
  ArrowRight: () => go(ply() + 1),
  Home: () => go(0),
  End: () => go(scene.ply),
  u: takeBack,
  a: () => at("analyse").click(),
  p: () => at("pause").hidden || at("pause").click(),
  m: () => at("now").hidden || at("now").click(),
  "/": openChoices,
};

function onKey(event) {
  if (!scene || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches?.("input:not([type=range]):not([type=checkbox]), select, textarea")) {
    if (event.key === "Enter" && event.target === at("filter")) at("legal").querySelector("button")?.click();
    return;
  }
  const cell = event.target.closest?.(".cell");
  if (cell && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    const [grid, column, row] = cell.dataset.cell.split(" ").map(Number);
    onCell({ grid, column, row });
    return;
  }
  if (steer(at("boards"), event)) return event.preventDefault();
  if (event.target === at("slider")) return;
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

function switchTheme() {
  const isDark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = isDark ? "light" : "dark";
}

wire();
listen();
