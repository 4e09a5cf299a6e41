// What every page has beyond links and forms. Each part does without the others.
import { listen } from "./keys.js";
import { localise } from "./times.js";
import { live } from "./live.js";

document.documentElement.classList.add("scripted");
for (const select of document.querySelectorAll("select[data-submits]")) {
  select.addEventListener("change", () => select.form.requestSubmit());
}
localise(document);
document.addEventListener("htmx:afterSettle", (event) => localise(event.target));
listen();
live(localise);
