import type { RunningTarget } from '../target.ts';
import { callWeakSpot, type Step, type Steps, showsWith } from './step.ts';
import { begin } from './wire.ts';

const SUFFIXES = ['-backup', '_old', '2', '-private', '.bak', '-archive'];
const OUTSIDE = 'outside/canary.txt';
const DELAY_SECONDS = 0.4;

/** Faults that arguments of a call bring to light. */
export const toolSteps: Steps = {
  'path-absolute': showsWith('/etc/passwd', 'file:///etc/passwd', '~/.ssh/id_rsa'),
  'path-dot-dot': showsWith(`../${OUTSIDE}`, `guide/../../${OUTSIDE}`),
  'path-encoded': showsWith(
    `%2e%2e%2f${OUTSIDE}`,
    `%252e%252e%252f${OUTSIDE}`,
    `..\\${OUTSIDE}`,
    `....//${OUTSIDE}`,
    `\uff0e\uff0e/${OUTSIDE}`,
  ),
  'path-sibling-prefix': async (running) => {
    const root = await rootOf(running);
    return showsWith(...SUFFIXES.map((suffix) => `../${root}${suffix}/readme.md`))(running);
  },
  'path-symlink': showsWith('shared/canary.txt', 'latest/canary.txt', 'attachments/canary.txt'),
  'shell-visible': showsWith('x; id', 'x"; id; "', "x'; id; '"),
  'shell-blind': async (running) => {
    const forms = ['x; sleep *', 'x"; sleep *; "', "x'; sleep *; '", 'x$(sleep *)'];
    for (const form of forms) if (await sleeps(running, form)) return true;
    return false;
  },
  'code-evaluation': async (running) => {
    const answer = await callWeakSpot(running, '(() => 7919*6841)()');
    const secret = await callWeakSpot(running, 'process.env.SERVICE_KEY');
    const inFilter = running.observed.effects.some((effect) => effect.startsWith('evaluated:'));
    const isShown =
      answer.text.includes('54173879') || secret.text.includes(running.weakSpot.marker);
    return isShown || (inFilter && !answer.isError);
  },
  'template-injection': async (running) => {
    const forms = ['{{*}}', `\${*}`, '<%=*%>', '#{*}', '{% print *%}'];
    for (const form of forms) {
      const { text } = await callWeakSpot(running, form.replace('*', '7919*6841'));
      if (text.includes('54173879')) return true;
    }
    return false;
  },
  'query-injection': showsWith("x' OR '1'='1", 'x" OR "1"="1'),
  'internal-requests': reachesInside(
    'http://127.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2130706433/',
    'http://[::1]/',
  ),
  'internal-redirect': reachesInside(
    'https://pages.example.com/redirect?to=http://169.254.169.254/latest/meta-data/',
  ),
  'secrets-in-results': showsWith(''),
  'secrets-in-errors': showsWith('O-9999'),
  'stack-traces': showsWith('Nowhere/At-All'),
  'schema-not-enforced': async (running) => {
    const below = await callWeakSpot(running, -5);
    const otherType = await callWeakSpot(running, 'many');
    return !below.isError && !otherType.isError;
  },
  oversize: async (running) => {
    const { isError, text } = await callWeakSpot(running, 'word '.repeat(60_000));
    return !isError && text.includes(running.weakSpot.marker);
  },
};

function reachesInside(...addresses: readonly string[]): Step {
  return async (running) => {
    for (const address of addresses) {
      const { text, isError } = await callWeakSpot(running, address);
      const isSeen = !isError && text.includes(running.weakSpot.marker);
      const isNoted = running.observed.effects.some((effect) => effect.startsWith('inside'));
      if (isSeen && isNoted) return true;
    }
    return false;
  };
}

async function rootOf(running: RunningTarget): Promise<string> {
  const { reader } = running.weakSpot;
  const { text } = await (await begin(running)).call(reader?.tool ?? '', reader?.arguments ?? {});
  return /^(\S+)\/$/m.exec(text)?.[1] ?? '';
}

// As long as was asked, twice, and at once where no sleep was asked.
async function sleeps(running: RunningTarget, form: string): Promise<boolean> {
  for (const seconds of [DELAY_SECONDS, 0, DELAY_SECONDS]) {
    const took = await timeOf(running, form.replace('*', String(seconds)));
    const isLong = took > DELAY_SECONDS * 1000;
    if (isLong !== seconds > 0) return false;
  }
  return true;
}

async function timeOf(running: RunningTarget, payload: string): Promise<number> {
  const began = performance.now();
  await callWeakSpot(running, payload);
  return performance.now() - began;
}
