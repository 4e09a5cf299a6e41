// Keys: / searches, j and k go through rows, Enter opens, ? tells; others press [data-key] buttons.
const rows = () => [...document.querySelectorAll("[data-row]")].filter((row) => row.offsetParent);
let at = -1;

function go(step) {
  const found = rows();
  if (!found.length) return;
  const focused = found.findIndex((row) => row.contains(document.activeElement));
  at = Math.min(Math.max((focused >= 0 ? focused : at) + step, 0), found.length - 1);
  found.forEach((row) => row.classList.toggle("at", row === found[at]));
  const target = found[at].querySelector("a, button") ?? found[at];
  if (target === found[at]) target.tabIndex = -1;
  target.focus({ preventScroll: true });
  found[at].scrollIntoView({ block: "nearest" });
}

function search() {
  const field = document.querySelector("input[type=search]");
  if (field) field.focus();
  else document.querySelector("a[data-search], .menu a[href^='/search']")?.click();
}

// The row at hand is the one that has the focus, else the one that j and k went to. A button of a
// row is pressed for nobody who went to none: a key must not decide about what was not looked at.
function hand() {
  const found = rows();
  return found.find((row) => row.contains(document.activeElement)) ?? found[at];
}

function press(key) {
  const name = `button[data-key="${CSS.escape(key)}"]`;
  const beside = [...document.querySelectorAll(name)].filter((one) => !one.closest("[data-row]"));
  const button = hand()?.querySelector(name) ?? beside[0];
  button?.click();
  return Boolean(button);
}

function typing(target) {
  return target.closest("input, textarea, select, [contenteditable], dialog[open]");
}

export function listen() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Escape" && event.target.matches("input[type=search]")) {
      event.preventDefault();  // a browser would empty the field, and with it what was found
      event.target.blur();
    }
    if (typing(event.target)) return;
    const known = {
      "/": search, "j": () => go(1), "k": () => go(-1), "?": () => document.querySelector("#keys")?.showModal(),
    }[event.key];
    if (known) known();
    else if (event.key.length !== 1 || !press(event.key)) return;
    event.preventDefault();
  });
}
