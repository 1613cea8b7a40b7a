import { IMAGE_FOLDER, readBuildOutput } from './image-files.ts';

/** Bytes kept from the end of a build's output. */
const OUTPUT_BYTES = 4_096;

/** Input of an image build. */
export interface ImageRecipe {
  /** Path of the builder. */
  readonly builder: string;
  readonly dockerfilePath: string;
  readonly dockerContext: string;
  /** Names of variables that the Dockerfile may use as `ARG`. */
  readonly names: readonly string[];
}

/**
 * Builds as root of a namespace that contains only the tenant's user. Leaves the image's files and
 * configuration in the release. Base images are cached in the tenant's cache.
 */
const BUILD_SCRIPT = [
  // Root outside the namespace must have written both id maps.
  'until read -r __line < /proc/self/gid_map; do sleep 0.05; done',
  'set -e',
  'builder=$1; recipe=$2; context=$3; shift 3',
  `out="$PWD/${IMAGE_FOLDER}"`,
  'export TMPDIR="$HOME/tmp" XDG_RUNTIME_DIR=/tmp/runtime',
  'rm -rf "$out" "$TMPDIR"; mkdir -p "$TMPDIR" "$XDG_RUNTIME_DIR" "$HOME/images"',
  'build() { "$builder" --root "$HOME/images" --runroot /tmp/builder --storage-driver overlay ' +
    '--storage-opt ignore_chown_errors=true "$@"; }',
  'build rm --all > /dev/null',
  // Keeps the end of the output, which explains a failure.
  `mkdir "$out"; mkfifo "$TMPDIR/said"; tail -c ${OUTPUT_BYTES} < "$TMPDIR/said" > "$out/said" &`,
  '{ build bud --isolation chroot --format oci --iidfile "$TMPDIR/id" "$@" ' +
    '--output "type=local,dest=$TMPDIR/root" --file "$recipe" "$context" 2>&1; ' +
    'echo $? > "$TMPDIR/code"; } | tee "$TMPDIR/said"',
  'wait; code=$(cat "$TMPDIR/code"); [ "$code" = 0 ] || exit "$code"',
  'id=$(cat "$TMPDIR/id")',
  'build inspect --type image "$id" > "$out/image.json"',
  'cp -a "$TMPDIR/root" "$out/root"; rm -rf "$TMPDIR"',
  'build rmi "$id" > /dev/null',
].join('\n');

/** Returns the build command, to be run as the tenant. */
export function imageBuildCommand({ builder, names, ...recipe }: ImageRecipe): string {
  const { dockerfilePath, dockerContext } = recipe;
  const args = names.flatMap((name) => ['--build-arg', name]);
  const inside = [
    'unshare',
    '--user',
    '--mount',
    '--keep-caps',
    '--',
    '/bin/sh',
    '-c',
    BUILD_SCRIPT,
  ];
  const words = [...inside, 'stoa', builder, dockerfilePath, dockerContext, ...args];
  return `exec ${quoteWords(words)}`;
}

/**
 * Starts a tenant's program and maps root in its namespace to the tenant's user. Root writes the
 * maps, so that groups can be set inside, as `RUN` does.
 */
const MAP_SCRIPT = [
  'user=$1; shift',
  '"$@" & program=$!',
  'own=$(readlink /proc/$$/ns/user)',
  'while now=$(readlink "/proc/$program/ns/user") && [ "$now" = "$own" ]; do sleep 0.02; done',
  'echo "0 $user 1" > "/proc/$program/uid_map" && echo "0 $user 1" > "/proc/$program/gid_map"',
  'wait "$program"',
].join('\n');

/** Wraps the command of a tenant's program that waits for its user map. */
export function withOwnUser(uid: number, argv: readonly string[]): readonly string[] {
  return ['sh', '-c', MAP_SCRIPT, 'stoa', String(uid), ...argv];
}

/** Returns the base image that a build could not fetch. */
export function findUnfetchedImage(tree: string): string | undefined {
  const log = readBuildOutput(tree) ?? '';
  const [, image] = /initializing source docker:\/\/(\S+?):? /.exec(log) ?? [];
  if (image !== undefined) return `the image ${image}, which could not be fetched`;
  const [, short] = /short-name "([^"]+)" did not resolve/.exec(log) ?? [];
  return short === undefined ? undefined : `the image ${short}, which has no configured registry`;
}

/** Quotes words for `/bin/sh`. */
export function quoteWords(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}
