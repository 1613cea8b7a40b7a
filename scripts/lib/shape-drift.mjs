/** How a fixture writes a number that is a time. */
const TIME_NUMBER = /^\{\{#m?s\}\}$/;

/**
 * Where a real answer no longer has the shape of a fixture: members that are missing, or of another
 * kind. What is new is no drift; lists are compared by their first members.
 *
 * @returns Paths such as `result.XXBTZUSD.c: array, now string`; empty when the shape holds.
 */
export function shapeDrift(fixture, answer, path = '') {
  const [expected, found] = [kindOf(fixture), kindOf(answer)];
  if (expected !== found && expected !== 'null') {
    return [`${path === '' ? 'all' : path}: ${expected}, now ${found}`];
  }
  if (expected === 'array') {
    const isShort = fixture.length === 0 || answer.length === 0;
    return isShort ? [] : shapeDrift(fixture[0], answer[0], `${path}[0]`);
  }
  if (expected !== 'object') return [];
  return Object.keys(fixture).flatMap((name) =>
    shapeDrift(fixture[name], answer[name], path === '' ? name : `${path}.${name}`),
  );
}

function kindOf(value) {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'string' && TIME_NUMBER.test(value) ? 'number' : typeof value;
}
