import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';

/** One row of a tree: git itself would refuse many of these. */
export interface TreeRow {
  readonly mode: '100644' | '100755' | '120000' | '40000' | '160000';
  readonly name: string;
  readonly id: string;
}

/** A repository that is written byte by byte, so that it may hold what git would never write. */
export class RawRepository {
  /** Folder with the files. */
  readonly path: string;
  /** Folder that git reads. */
  readonly git: string;

  constructor(path: string, { isBare = false }: { readonly isBare?: boolean } = {}) {
    this.path = path;
    this.git = isBare ? path : join(path, '.git');
    this.put('HEAD', 'ref: refs/heads/main\n');
    this.put('config', `[core]\n\trepositoryformatversion = 0\n\tbare = ${isBare}\n`);
    for (const name of ['objects/info', 'objects/pack', 'refs/heads']) {
      mkdirSync(join(this.git, name), { recursive: true });
    }
  }

  /** Writes a file of git's own. */
  put(name: string, text: string, mode = 0o644): void {
    const file = join(this.git, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode });
  }

  blob(text: string | Buffer): string {
    return this.#write('blob', Buffer.from(text));
  }

  tree(rows: readonly TreeRow[]): string {
    const key = ({ mode, name }: TreeRow) => Buffer.from(mode === '40000' ? `${name}/` : name);
    const sorted = rows.toSorted((one, other) => Buffer.compare(key(one), key(other)));
    const parts = sorted.map(({ mode, name, id }) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
    );
    return this.#write('tree', Buffer.concat(parts));
  }

  /** Makes the commit that `main` has. */
  commit(tree: string, subject = 'A commit'): string {
    const who = 'T <t@example.org> 1700000000 +0000';
    const text = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\n${subject}\n`;
    const id = this.#write('commit', Buffer.from(text));
    this.put('refs/heads/main', `${id}\n`);
    return id;
  }

  #write(type: string, content: Buffer): string {
    const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
    const id = createHash('sha1').update(whole).digest('hex');
    const file = join(this.git, 'objects', id.slice(0, 2), id.slice(2));
    mkdirSync(dirname(file), { recursive: true });
    if (!existsSync(file)) writeFileSync(file, deflateSync(whole, { level: 1 }));
    return id;
  }
}
