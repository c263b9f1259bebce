// How single things look: pieces, texts, numbers.

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element with attributes and children. */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** An HTML element with properties and children. */
export function html(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("aria-") || key === "role") element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** As many children of one kind as are needed; those that are there stay, so that nobody clicks
 * into the void and bars glide. */
export function keep(place, count, make) {
  while (place.children.length > count) place.lastElementChild.remove();
  while (place.children.length < count) place.append(make(place.children.length));
  return [...place.children];
}

/** A number as people read it: 1,234 or 12.3k. */
export function short(number) {
  if (number >= 1e9) return `${(number / 1e9).toFixed(1)}G`;
  if (number >= 1e6) return `${(number / 1e6).toFixed(1)}M`;
  if (number >= 1e4) return `${(number / 1e3).toFixed(1)}k`;
  return Math.round(number).toLocaleString("en");
}

/** `(move 1 2 1 3)` without what does not help to read it. */
export const plain = (text) => text.replace(/^\((.*)\)$/, "$1");

// Words that name a colour look like it; the names of CSS classes in page.css.
const COLOURS = ["white", "black", "red", "yellow", "blue", "green", "orange", "purple"];
const TONES = 8;
const tones = new Map();

/** The colour of a name: its own if it is one, else that of its role, else the next one. */
export function tone(name, roles) {
  const word = name.toLowerCase();
  if (COLOURS.includes(word)) return `tone-${word}`;
  const role = roles.indexOf(name);
  if (role >= 0) return `tone-${role % TONES}`;
  if (!tones.has(name)) tones.set(name, (tones.size + roles.length) % TONES);
  return `tone-${tones.get(name)}`;
}

// Pieces that everybody knows by their looks.
const GLYPHS = { king: "♚", queen: "♛", rook: "♜", bishop: "♝", knight: "♞", pawn: "♟" };

/** Whose a content is and what it is, where it says so: `white knight`, `wp`. */
function owned(content, roles) {
  const [first, ...rest] = content.split(/[\s_-]+/);
  const role = roles.find((role) => role.toLowerCase() === first.toLowerCase());
  if (role && rest.length) return [role, rest.join(" ")];
  const initials = roles.filter((role) => role[0].toLowerCase() === content[0].toLowerCase());
  const isShort = content.length === 2 && initials.length === 1 && roles.length > 1;
  return isShort ? [initials[0], content[1]] : [null, content];
}

const isNumber = (text) => /^\d+$/.test(text);

/** A few letters that tell a content apart. */
function label(content) {
  const words = content.split(/[\s_-]+/);
  return words.length > 1
    ? words.map((word) => word[0]).join("").slice(0, 3)
    : content.slice(0, content.length <= 3 ? 3 : 2);
}

/** What lies in a cell, drawn around the point 5 5 of a square of 10. */
export function piece(content, roles) {
  const word = content.toLowerCase();
  const [owner, thing] = owned(content, roles);
  const tint = tone(owner ?? content, roles);
  const glyph = GLYPHS[thing.toLowerCase()];
  if (owner && glyph) {
    return svg("text", { class: `glyph ${tint}`, x: 5, y: 8.1 }, `${glyph}\ufe0e`);
  }
  if (word === "x") {
    return svg("path", { class: `stroke ${tint}`, d: "M2.9 2.9 7.1 7.1M7.1 2.9 2.9 7.1" });
  }
  if (word === "o") {
    return svg("circle", { class: `stroke ${tint}`, cx: 5, cy: 5, r: 2.4 });
  }
  if (isNumber(content)) {
    return svg("text", { class: "number", x: 5, y: 6.7 }, content);
  }
  const disc = svg("g", { class: `disc ${tint}` },
    svg("circle", { class: "shade", cx: 5, cy: 5.25, r: 3.75 }),
    svg("circle", { class: "body", cx: 5, cy: 5, r: 3.75 }),
    svg("circle", { class: "rim", cx: 5, cy: 5, r: 2.75 }));
  if (!COLOURS.includes(word) && !roles.includes(content)) {
    disc.append(svg("text", { class: "label", x: 5, y: 6.1 }, label(thing)));
  }
  return disc;
}
