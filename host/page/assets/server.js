// What is asked of the program that serves this page. Nothing else is ever asked for.

async function ask(path) {
  const answer = await fetch(path, { cache: "no-store" });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/** How the game stands, as soon as that is another version than the known one. */
export const state = (known) => ask(known === null ? "state" : `state?after=${known}`);

/** A position with its boards and legal moves. */
export const position = (ply) => ask(`position?ply=${ply}`);

/** Orders something; what is wrong with it, or nothing. */
export async function order(what) {
  const answer = await fetch("do", { method: "POST", body: JSON.stringify(what) });
  if (!answer.ok) return answer.text();
  return (await answer.json()).refused ?? null;
}
