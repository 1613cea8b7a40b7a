import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { z } from 'zod';
import { tryParseJson } from '../../../../domain/common/json.ts';

/** Folder of a build's image, inside the release. */
export const IMAGE_FOLDER = '.stoa-image';
/** Maximum size of an image file that the daemon reads, in bytes. */
const FILE_BYTES_MAX = 1024 * 1024;

const List = z
  .array(z.string())
  .nullish()
  .transform((list) => list ?? []);

/** The part of an image's configuration that describes how to run it. */
const Config = z.object({
  OCIv1: z.object({
    config: z
      .object({
        User: z.string().default(''),
        Env: List,
        Entrypoint: List,
        Cmd: List,
        WorkingDir: z.string().default(''),
      })
      .prefault({}),
  }),
});

/** How to run an image. */
export interface ImageConfig {
  /** User id inside the image. */
  readonly userId: number;
  /** `NAME=value`. */
  readonly env: readonly string[];
  readonly argv: readonly string[];
  readonly workingDir: string;
  readonly hasShell: boolean;
}

/**
 * Reads the image of a build. The tenant wrote all of it, so nothing outside the release is read.
 *
 * @returns What is missing, as a text, if the image is unusable.
 */
export function readImage(tree: string): ImageConfig | string {
  const imageFolder = join(tree, IMAGE_FOLDER);
  const text = readContained(tree, join(imageFolder, 'image.json'));
  if (text === undefined) return 'the image of the build';
  const parsed = Config.safeParse(tryParseJson(text));
  if (!parsed.success) return 'an image with a readable configuration';
  const { User, Env, Entrypoint, Cmd, WorkingDir } = parsed.data.OCIv1.config;
  const root = join(imageFolder, 'root');
  const userId = resolveUser(root, User);
  if (userId === undefined) return `the user ${User} in the /etc/passwd of the image`;
  return {
    userId,
    env: Env,
    argv: [...Entrypoint, ...Cmd],
    workingDir: WorkingDir === '' ? '/' : WorkingDir,
    hasShell: ['bin/sh', 'usr/bin/sh'].some((file) => exists(join(root, file))),
  };
}

/** Returns the end of the build's output; `undefined` if there is none. */
export function readBuildOutput(tree: string): string | undefined {
  return readContained(tree, join(tree, IMAGE_FOLDER, 'said'));
}

/** Resolves a user id, or a name in the image's user list; the group is ignored. */
function resolveUser(root: string, user: string): number | undefined {
  const [name = ''] = user.split(':');
  if (name === '' || name === 'root') return 0;
  if (/^\d{1,9}$/.test(name)) return Number(name);
  const rows = readContained(root, join(root, 'etc', 'passwd'))?.split('\n') ?? [];
  const id = rows.map((row) => row.split(':')).find(([known]) => known === name)?.[2];
  return id !== undefined && /^\d{1,9}$/.test(id) ? Number(id) : undefined;
}

function readContained(root: string, file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const realFile = realpathSync(file);
  if (!realFile.startsWith(realpathSync(root) + sep)) return undefined;
  const { size } = statSync(realFile);
  const isPlain = statSync(realFile).isFile() && size <= FILE_BYTES_MAX;
  return isPlain ? readFileSync(realFile, 'utf8') : undefined;
}

function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}
