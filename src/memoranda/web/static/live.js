// Parts that stay true: <div id="…" data-live="observe task"> is fetched anew when something of that
// kind was written to the journal. An empty data-live stands for anything.
const PAUSE = 400;
const SOON = 2_000;
const LATE = 60_000;
const PROMPT = 500;  // milliseconds from the page's response to the start of its stream
let source = null;
let waiting = null;
let again = null;
let patience = SOON;
let missed = false;
let due = new Set();

const parts = () => [...document.querySelectorAll("[id][data-live]")];

function concerned(part, operation) {
  const kinds = part.dataset.live.split(" ").filter(Boolean);
  return !kinds.length || kinds.some((kind) => operation.startsWith(kind));
}

async function refresh(after) {
  waiting = null;
  const ids = due;
  due = new Set();
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ids) {
    const old = document.getElementById(id);
    const made = fresh.getElementById(id);
    // What somebody is writing in, or reads by keyboard, is left alone.
    if (!old || !made || old.contains(document.activeElement) || old.outerHTML === made.outerHTML) continue;
    old.replaceWith(made);
    made.classList.add("fresh");
    window.htmx?.process(made);
    after(made);
  }
}

function plan(after, found) {
  for (const part of found) due.add(part.id);
  if (due.size && !waiting) waiting = setTimeout(() => refresh(after).catch(() => {}), PAUSE);
}

function open(after) {
  clearTimeout(again);
  if (source || document.hidden || !parts().length) return;
  source = new EventSource("/api/v1/events");
  const refresh = (event) => {
    const { operation } = JSON.parse(event.data);
    plan(after, parts().filter((part) => concerned(part, operation)));
  };
  source.addEventListener("change", refresh);
  source.addEventListener("alert", refresh);
  source.addEventListener("open", () => {
    patience = SOON;
    // Changes between the response and the start of the stream are not in either.
    const [page] = performance.getEntriesByType("navigation");
    if (missed || performance.now() - (page?.responseStart ?? 0) > PROMPT) plan(after, parts());
  });
  // A browser asks again every two seconds, or never: after an answer that says "not now" as well.
  source.addEventListener("error", () => {
    close();
    again = setTimeout(() => open(after), patience * (1 + Math.random() / 2));
    patience = Math.min(patience * 2, LATE);
  });
}

function close() {
  missed = true;  // until it opens again, anything may happen
  clearTimeout(again);
  source?.close();
  source = null;
}

export function live(after) {
  open(after);
  // A page that nobody looks at gives its stream to others, of which each caller has a few.
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open(after)));
  addEventListener("pagehide", close);
}
