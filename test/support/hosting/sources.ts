import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program that answers with a text; it needs nothing that is not there. */
export function serverSource(text: string): string {
  return `import { createServer } from 'node:http';
createServer((asked, answer) => {
  if (asked.url === '/env') return answer.end(JSON.stringify(process.env));
  if (asked.url === '/exit') process.exit(9);
  answer.end(${JSON.stringify(text)});
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening'));
`;
}

/** A repository in a folder, with one commit for each call of `commit`. */
export function repository(folder: string) {
  mkdirSync(folder, { recursive: true });
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  git('init', '--quiet', '--initial-branch=main');
  return {
    path: folder,
    git,
    commit: (files: Readonly<Record<string, string>>, message = 'A commit'): string => {
      for (const [name, text] of Object.entries(files)) {
        const file = join(folder, name);
        mkdirSync(join(file, '..'), { recursive: true });
        writeFileSync(file, text);
      }
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD').trim();
    },
  };
}
