import { NewError, nameTaken, toPascalCase, toTitle } from './names.mjs';

const LIST = 'web/src/pages.ts';

/** A page of the console. */
export const page = {
  what: 'page',
  about: 'a page of the console, with the next free key',
  form: 'a folder and words in kebab-case',
  example: 'trust/ledger',
  pattern: /^[a-z]+(-[a-z]+)*\/[a-z]+(-[a-z]+)*$/,
  plan: (plan, name) => {
    const [, own] = name.split('/');
    const { text } = plan.read(LIST);
    if (text.includes(`name: '${own}'`)) throw nameTaken(own, LIST);
    const component = `${toPascalCase(own)}Page`;
    plan.create(`web/src/pages/${name}.tsx`, pageFile(own, component));
    plan.addLine(LIST, {
      list: 'PAGES',
      entry: `  {
    name: '${own}',
    title: '${toTitle(own)}',
    key: '${freeKey(own, text)}',
    load: async () => (await import('./pages/${name}.tsx')).${component},
  }`,
    });
    plan.createTest(`test/web/${own}-page.test.ts`, {
      name: `the page ${own}`,
      imports: ["import { PAGES } from '../../web/src/pages.ts';"],
      lines: [`expect(PAGES.map((page) => page.name)).toContain('${own}');`],
    });
    plan.left.push(`web/src/pages/${name}.tsx: what the page shows`);
    plan.left.push(
      `${LIST}: its place among the pages, its key, or \`under\` which page it stands`,
    );
  },
};

/** The first letter of the name, or else of the alphabet, that opens no other page. */
function freeKey(own, text) {
  const used = [...text.matchAll(/^ {4}key: '(.)'/gm)].map(([, key]) => key);
  const letters = [...own.replaceAll('-', ''), ...'abcdefhijklmnopqrstuvwxyz'];
  const free = letters.find((letter) => letter !== 'g' && !used.includes(letter));
  if (free !== undefined) return free;
  throw new NewError('PLACE_UNKNOWN', `${LIST} has no free key.`);
}

function pageFile(own, component) {
  return `import type { JSX } from 'preact';
import { EmptyState } from '../../parts/notice.tsx';

/** Say what the page shows. */
export function ${component}(): JSX.Element {
  return (
    <>
      <div class="page-head">
        <h1>${toTitle(own)}</h1>
      </div>
      <EmptyState title="Nothing to show yet" />
    </>
  );
}
`;
}
