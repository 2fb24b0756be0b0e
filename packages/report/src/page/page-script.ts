/**
 * What the page does by itself: choose the theme and the view, and step through a drawing's marks
 * with arrow keys or pointer. Without it the page shows every view.
 */
export const pageScript = `
(() => {
  const root = document.documentElement;
  for (const input of document.querySelectorAll('[name=theme]')) {
    input.addEventListener('change', () => {
      if (input.value === 'auto') delete root.dataset.theme;
      else root.dataset.theme = input.value;
    });
  }
  for (const card of document.querySelectorAll('[data-chart]')) {
    const views = [...card.querySelectorAll('[data-view]')];
    const choose = (index) => views.forEach((view, i) => { view.hidden = i !== index; });
    const inputs = [...card.querySelectorAll('fieldset input')];
    inputs.forEach((input, i) => input.addEventListener('change', () => choose(i)));
    choose(Math.max(0, inputs.findIndex((input) => input.checked)));
  }
  for (const plot of document.querySelectorAll('.plot')) {
    const marks = [...plot.querySelectorAll('svg title')].map((title) => title.parentElement);
    const output = plot.closest('[data-view]').querySelector('output');
    let at = -1;
    const show = (index) => {
      if (marks[at]) delete marks[at].dataset.on;
      at = index;
      if (!marks[at]) return;
      marks[at].dataset.on = '';
      output.textContent = marks[at].querySelector('title').textContent;
    };
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    plot.addEventListener('keydown', (event) => {
      const last = marks.length - 1;
      const goals = { Home: 0, End: last, Escape: -1 };
      const step = steps[event.key];
      if (step === undefined && goals[event.key] === undefined) return;
      event.preventDefault();
      show(step === undefined ? goals[event.key] : Math.min(last, Math.max(0, at + step)));
    });
    const point = (event) => {
      const index = marks.indexOf(event.target.closest('svg *'));
      if (index >= 0) show(index);
    };
    plot.addEventListener('pointerover', point);
    plot.addEventListener('click', point);
    plot.addEventListener('blur', () => show(-1));
  }
})();
`;
