/** Makes the shop's links open the chat; without this file they lead to the address. */

for (const link of document.querySelectorAll("[data-chat]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    (window.Meanwhile ??= []).push(["open"]);
  });
}
