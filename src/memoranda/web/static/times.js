// Times come as UTC; here they become the reader's own, with the zone, and stay true while a page is open.
const STEPS = [[60, 1, "s"], [3600, 60, "min"], [86400, 3600, "h"], [60 * 86400, 86400, "days"]];

function rough(seconds) {
  for (const [limit, step, unit] of STEPS) {
    const count = Math.round(seconds / step);
    if (seconds < limit) return `${count} ${unit === "days" && count === 1 ? "day" : unit}`;
  }
  return `${Math.round(seconds / (30.4 * 86400))} months`;
}

function ago(moment) {
  const seconds = (Date.now() - moment.getTime()) / 1000;
  if (seconds < 0) return `in ${rough(-seconds)}`;
  return seconds < 10 ? "just now" : `${rough(seconds)} ago`;
}

export const whole = new Intl.DateTimeFormat(undefined, {
  year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
});

function write(element) {
  const moment = new Date(element.dateTime);
  if (Number.isNaN(moment.getTime())) return;
  const relative = element.dataset.time === "relative";
  element.textContent = relative ? ago(moment) : whole.format(moment);
  if (relative) element.title = whole.format(moment);
}

export function localise(root) {
  for (const element of root.querySelectorAll("time[data-time]")) write(element);
}

setInterval(() => {
  if (!document.hidden) localise(document);
}, 30_000);
