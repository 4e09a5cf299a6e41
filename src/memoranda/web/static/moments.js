// Times that are typed: fields hold UTC without this, the reader's own time with it. A slider beside
// one goes back through time.
import { whole } from "./times.js";

const pad = (number) => String(number).padStart(2, "0");
const local = (date) =>
  `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
const utc = (date) => date.toISOString().replace(/(:\d\d)?\.\d+Z$/, "Z");
const MINUTE = 60_000;

function localise(field) {
  const sent = document.createElement("input");
  sent.type = "hidden";
  sent.name = field.name;
  sent.value = field.dataset.moment;
  field.removeAttribute("name");
  field.after(sent);
  if (sent.value) field.value = local(new Date(sent.value));
  const zone = field.closest("label").querySelector("[data-zone]");
  if (zone) zone.textContent = "your time";
  field.addEventListener("input", () => {
    const date = new Date(field.value);
    sent.value = Number.isNaN(date.getTime()) ? "" : utc(date);
  });
  return [sent.name, field];
}

function slide(place, field) {
  const end = new Date(place.dataset.to).getTime();
  const begin = Math.min(new Date(place.dataset.from || end).getTime() - 60 * MINUTE, end - 7 * 24 * 60 * MINUTE);
  const minutes = Math.ceil((end - begin) / MINUTE);
  const range = document.createElement("input");
  const ticks = document.createElement("datalist");
  const [first, last] = [document.createElement("span"), document.createElement("span")];
  Object.assign(range, { type: "range", min: 0, max: minutes, step: Math.max(1, Math.round(minutes / 2000)) });
  ticks.id = "turns";
  range.setAttribute("list", ticks.id);
  range.setAttribute("aria-label", "Valid at");
  for (const turn of place.querySelectorAll("[data-turn]")) {
    const tick = document.createElement("option");
    tick.value = Math.ceil((new Date(turn.dataset.turn).getTime() - begin) / MINUTE);
    ticks.append(tick);
  }
  const atEnd = () => Number(range.value) >= minutes - Number(range.step);
  const moment = () => new Date(begin + Number(range.value) * MINUTE);
  const tell = () => range.setAttribute("aria-valuetext", atEnd() ? "now" : whole.format(moment()));
  const follow = () => {
    const chosen = field.value ? new Date(field.value).getTime() : end;
    range.value = Math.round((chosen - begin) / MINUTE);
    tell();
  };
  range.addEventListener("input", () => {
    field.value = atEnd() ? "" : local(moment());
    field.dispatchEvent(new CustomEvent("input", { detail: "slid" }));
    tell();
  });
  field.addEventListener("input", (event) => event.detail === "slid" || follow());
  follow();
  first.textContent = whole.format(new Date(begin));
  last.textContent = "now";
  const made = document.createElement("div");
  made.className = "slider";
  made.append(first, range, last, ticks);
  place.prepend(made);
}

const fields = new Map([...document.querySelectorAll("input[data-moment]")].map(localise));
for (const place of document.querySelectorAll("[data-slides]")) slide(place, fields.get(place.dataset.slides));
