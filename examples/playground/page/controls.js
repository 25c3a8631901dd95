// The form of the settings, made from their list.

import { FIELDS, PRESETS } from "playground/settings";
import { withUnit } from "playground/format";

const STEPS = 400;

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** A slider's place for a value, and back. */
const place = ({ kind, min, max }, value) =>
  kind === "log" ? Math.round((Math.log(value / min) / Math.log(max / min)) * STEPS) : value;

function fromPlace(field, at) {
  if (field.kind !== "log") return Number(at);
  const value = field.min * (field.max / field.min) ** (at / STEPS);
  return field.key === "buffer" ? Math.round(value) : Number(value.toPrecision(2));
}

export class Controls {
  /** `onChange` is called with a key and its new value. */
  constructor(form, picker, onChange) {
    this.rows = new Map();
    this.#presets(picker);
    let group;
    for (const field of FIELDS) {
      if (group?.name !== field.group) {
        const set = element("fieldset", {}, element("legend", { textContent: field.group }));
        group = { name: field.group, set };
        form.append(set);
      }
      group.set.append(this.#row(field, onChange));
    }
  }

  #presets(picker) {
    for (const preset of PRESETS) {
      let group = [...picker.children].find((group) => group.label === preset.group);
      if (!group) picker.append((group = element("optgroup", { label: preset.group })));
      group.append(element("option", { value: preset.id, textContent: preset.title }));
    }
  }

  #row(field, onChange) {
    const id = `set-${field.key}`;
    const label = element("label", { htmlFor: id, textContent: field.label });
    const row = element("div", { className: `row ${field.kind}` }, label);
    let input;
    if (field.kind === "choice") {
      input = element("select", { id, name: field.key });
      input.append(...field.options.map(([value, text]) => element("option", { value, textContent: text })));
      input.addEventListener("change", () => onChange(field.key, input.value));
      row.append(input);
    } else if (field.kind === "number") {
      input = element("input", { id, name: field.key, type: "number", min: field.min, max: field.max, step: 1 });
      input.addEventListener("change", () => {
        const value = Math.min(Math.max(Math.round(Number(input.value)) || 0, field.min), field.max);
        onChange(field.key, value);
      });
      const next = element("button", { type: "button", textContent: "Next", title: "The next seed" });
      next.addEventListener("click", () => onChange(field.key, (Number(input.value) + 1) % (field.max + 1)));
      row.append(element("span", { className: "pair" }, input, next));
    } else {
      const [min, max, step] = field.kind === "log" ? [0, STEPS, 1] : [field.min, field.max, field.step];
      input = element("input", { id, name: field.key, type: "range", min, max, step });
      const output = element("output", { htmlFor: id });
      input.addEventListener("input", () => onChange(field.key, fromPlace(field, input.value)));
      row.append(output, input);
      this.rows.set(field.key, { field, input, output });
      return row;
    }
    this.rows.set(field.key, { field, input });
    return row;
  }

  /** Key, least and largest value of each slider. */
  ranges() {
    return [...this.rows.values()].filter(({ output }) => output).map(({ field: { key, min, max } }) => [key, min, max]);
  }

  /** Shows these settings. */
  show(settings) {
    for (const [key, { field, input, output }] of this.rows) {
      const value = settings[key];
      if (!output) {
        input.value = value;
        continue;
      }
      // A slider under the finger stays where it is.
      if (fromPlace(field, input.value) !== value) input.value = place(field, value);
      output.textContent = withUnit(value, field.unit);
      input.setAttribute("aria-valuetext", output.textContent);
    }
  }
}
