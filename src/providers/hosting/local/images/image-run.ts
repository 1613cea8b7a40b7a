import { IMAGE_FOLDER, type ImageConfig } from './image-files.ts';
import { quoteWords } from './quote.ts';

/**
 * Mounts a writable in-memory layer over the image's files and adds what images expect: `/proc`, a
 * few devices, `/tmp`, and host names. Runs entirely as the tenant.
 */
const VIEW_SCRIPT = [
  'set -e',
  'all=/tmp/image/all; up=/tmp/image/up',
  'mkdir -p "$all" /tmp/image/work "$up/proc" "$up/dev" "$up/tmp" "$up/etc"',
  'chmod 755 "$up"; chmod 1777 "$up/tmp"',
  'for file in resolv.conf hosts; do cp "/etc/$file" "$up/etc/" 2> /dev/null || true; done',
  `mount -t overlay -o "userxattr,lowerdir=$PWD/${IMAGE_FOLDER}/root,` +
    'upperdir=$up,workdir=/tmp/image/work" image "$all"',
  'mount --rbind /proc "$all/proc"',
  'mount -t tmpfs -o size=16m,mode=755 devices "$all/dev"',
  'for name in null zero full random urandom tty; do ' +
    'touch "$all/dev/$name"; mount --bind "/dev/$name" "$all/dev/$name"; done',
  'ln -s /proc/self/fd "$all/dev/fd"',
  'n=0; for name in stdin stdout stderr; do ln -s "/proc/self/fd/$n" "$all/dev/$name"; ' +
    'n=$((n + 1)); done',
  'mkdir -m 1777 "$all/dev/shm"',
  'user=$1; folder=$2; unshare=$(command -v unshare); shift 2',
].join('\n');

/** Last step: enters the image as the user that it specifies. */
const ENTER_SCRIPT =
  'exec "$unshare" --user "--map-user=$user" "--map-group=$user" --root=/tmp/image/all ' +
  '"--wd=$folder" -- "$@"';

/**
 * Returns the command that runs an image's program, as the tenant.
 *
 * @param unpack - Restores the variable names just before the program starts.
 */
export function imageRunCommand(
  { userId, workingDir }: ImageConfig,
  argv: readonly string[],
  unpack: string,
): string {
  const script = [VIEW_SCRIPT, unpack, ENTER_SCRIPT].join('\n');
  const inside = ['unshare', '--user', '--map-root-user', '--mount', '--', '/bin/sh', '-c', script];
  return `exec ${quoteWords([...inside, 'stoa', String(userId), workingDir, ...argv])}`;
}
