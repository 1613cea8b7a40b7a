/**
 * The value of a sum of whole numbers with + - * / % and brackets, or nothing where the text is
 * something else.
 */
export function arithmetic(text: string): number | undefined {
  const parts = text.match(/\d+(?:\.\d+)?|[-+*/%()]/g) ?? [];
  if (parts.length > 100 || parts.join('') !== text.replace(/\s+/g, '')) return undefined;
  const state = { parts, at: 0 };
  const value = sum(state);
  return state.at === parts.length && Number.isFinite(value) ? value : undefined;
}

interface State {
  readonly parts: readonly string[];
  at: number;
}

function sum(state: State): number {
  let value = product(state);
  for (;;) {
    const sign = state.parts[state.at];
    if (sign !== '+' && sign !== '-') return value;
    state.at += 1;
    const right = product(state);
    value = sign === '+' ? value + right : value - right;
  }
}

function product(state: State): number {
  let value = factor(state);
  for (;;) {
    const sign = state.parts[state.at];
    if (sign !== '*' && sign !== '/' && sign !== '%') return value;
    state.at += 1;
    const right = factor(state);
    if (sign === '*') value *= right;
    else value = sign === '/' ? value / right : value % right;
  }
}

function factor(state: State): number {
  const part = state.parts[state.at];
  state.at += 1;
  if (part === '-') return -factor(state);
  if (part !== '(') return part === undefined ? Number.NaN : Number(part);
  const value = sum(state);
  const isClosed = state.parts[state.at] === ')';
  state.at += 1;
  return isClosed ? value : Number.NaN;
}
