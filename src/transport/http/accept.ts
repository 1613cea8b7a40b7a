const QUOTED = /"(?:[^"\\]|\\.)*"?/g;

/**
 * Returns whether an `Accept` value allows a media type. The most specific range decides, and a
 * weight of 0 refuses. A range with other parameters refuses only what has these parameters.
 *
 * @param type - In lower case, without parameters.
 */
export function acceptsType(accept: string, type: string): boolean {
  const [kind = ''] = type.split('/');
  const ranges = ['*/*', `${kind}/*`, type];
  let decidedBy = 0;
  let isAccepted = false;
  for (const part of accept.replace(QUOTED, '').toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim());
    const specificity = ranges.indexOf(range);
    if (specificity < decidedBy) continue;
    const isAllowed = hasWeight(parameters);
    if (!isAllowed && parameters.length > 1) continue;
    isAccepted = isAllowed || (isAccepted && specificity === decidedBy);
    decidedBy = specificity;
  }
  return isAccepted;
}

/** Returns whether the weight of a media range is more than 0. Without a weight it is 1. */
function hasWeight(parameters: readonly string[]): boolean {
  const weight = parameters.find((text) => text.startsWith('q='))?.slice('q='.length);
  return weight === undefined || (Number(weight) > 0 && Number(weight) <= 1);
}
