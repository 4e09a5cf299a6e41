// Writing in a block: how much is typed, a word when somebody else has written, a question before
// what is typed would be left behind. Without this the server says the same when it is saved.
const text = document.querySelector("textarea#text");

if (text) {
  const form = text.form;
  const count = document.querySelector("#count");
  const limit = Number(text.dataset.limit);
  const began = text.value;
  let sent = false;

  const tell = () => {
    const size = [...text.value].length;
    count.textContent = `${size.toLocaleString()} typed${size > limit ? `, ${(size - limit).toLocaleString()} too many` : ""}.`;
  };
  text.addEventListener("input", tell);
  tell();

  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  form.addEventListener("submit", () => (sent = true));
  addEventListener("beforeunload", (event) => {
    if (!sent && text.value !== began) event.preventDefault();
  });

  const version = Number(form.elements.version.value);
  const look = () => {
    const standing = document.querySelector("#standing");
    const newer = document.querySelector("#newer");
    if (standing && newer) newer.hidden = Number(standing.dataset.version) <= version;
  };
  new MutationObserver(look).observe(document.querySelector("main"), { childList: true });
  look();
}
