// Parts that stay true: <div id="…" data-live="observe task"> is fetched anew when something of that
// kind was written to the journal. An empty data-live stands for anything.
const PAUSE = 400;
let source = null;
let waiting = null;
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

function open(after) {
  if (source || document.hidden || !parts().length) return;
  source = new EventSource("/api/v1/events");
  const told = (event) => {
    const { operation } = JSON.parse(event.data);
    for (const part of parts()) if (concerned(part, operation)) due.add(part.id);
    if (due.size && !waiting) waiting = setTimeout(() => refresh(after).catch(() => {}), PAUSE);
  };
  source.addEventListener("change", told);
  source.addEventListener("alert", told);
}

function close() {
  source?.close();
  source = null;
}

export function live(after) {
  open(after);
  // A page that nobody looks at gives its stream to others, of which each caller has a few.
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open(after)));
  addEventListener("pagehide", close);
}
