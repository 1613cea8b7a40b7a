/** Mount point of the sandbox during its creation. */
const ROOT = '/mnt';

/**
 * Creates the sandbox under {@link ROOT}, then runs the program that holds it. Its arguments: the
 * home, the user, the program that raises loopback, the readable paths, `--`, the hidden paths,
 * `--`, the holder.
 */
export const CLOSED_VIEW = [
  'set -e',
  'home=$1; uid=$2; loopback=$3; shift 3',
  'mount --make-rprivate /',
  `mount -t tmpfs -o size=16m,mode=755 stoa ${ROOT}`,
  'for place in bin sbin lib lib32 lib64 libx32 usr etc; do',
  `if [ -L /$place ]; then cp -P /$place ${ROOT}/$place`,
  `elif [ -d /$place ]; then mkdir ${ROOT}/$place; mount --rbind /$place ${ROOT}/$place`,
  `mount -o remount,bind,ro ${ROOT}/$place; fi; done`,
  `mkdir -p ${ROOT}/proc ${ROOT}/run ${ROOT}/var ${ROOT}/dev`,
  'for name in null zero full random urandom; do',
  `: > ${ROOT}/dev/$name; mount --bind /dev/$name ${ROOT}/dev/$name; done`,
  `ln -s /proc/self/fd ${ROOT}/dev/fd`,
  'for place in tmp dev/shm; do',
  `mkdir -p ${ROOT}/$place; mount -t tmpfs -o size=64m,mode=1777 stoa ${ROOT}/$place; done`,
  `ln -s /tmp ${ROOT}/var/tmp`,
  'while [ "$1" != -- ]; do',
  `if [ -d "$1" ]; then mkdir -p "${ROOT}$1"`,
  `else mkdir -p "$(dirname "${ROOT}$1")"; [ -e "${ROOT}$1" ] || : > "${ROOT}$1"; fi`,
  `mount --bind "$1" "${ROOT}$1"; mount -o remount,bind,ro "${ROOT}$1"`,
  'shift; done; shift',
  'while [ "$1" != -- ]; do',
  `if [ -d "${ROOT}$1" ]; then mount -t tmpfs -o size=1m,mode=700 stoa "${ROOT}$1"; fi`,
  'shift; done; shift',
  `mkdir -p "${ROOT}$home"`,
  `mount -t tmpfs -o size=64m,mode=700 stoa "${ROOT}$home"`,
  `cp -R "$home/." "${ROOT}$home/"; chown -R "$uid:$uid" "${ROOT}$home"`,
  'perl -e "$loopback"',
  'exec "$@"',
].join('\n');

/**
 * A Perl program (every Debian has Perl) that raises the loopback interface of an empty network.
 */
export const LOOPBACK_UP =
  'socket(S, 2, 2, 0) || exit 1; my $up = pack("a16 s x22", "lo", 1); ' +
  'ioctl(S, 0x8914, $up) || exit 1;';

/**
 * A Node program that holds the sandbox until its parent disconnects. It opens ports inside and
 * passes each one to the parent with its number.
 */
export const HOLDER = `
const { createServer } = require('node:net');
process.on('disconnect', () => process.exit());
const open = (port) => new Promise((resolve) => {
  const server = createServer().listen(port, '127.0.0.1', () => {
    process.send(port, server, {}, () => server.close(resolve));
  });
});
(async () => {
  for (const port of process.argv.slice(1)) await open(Number(port));
  process.send('ready');
})();
`;

/**
 * The first process of a tree inside the sandbox; when it exits, the kernel ends all others. Its
 * arguments: the groups, separated by colons, and the command to run.
 */
export const ENTER = [
  'groups=$1; shift',
  'IFS=:',
  'for group in $groups; do echo 0 > "$group" || exit 126; done',
  'unset IFS',
  `mount -t proc -o hidepid=invisible stoa ${ROOT}/proc 2>/dev/null ||`,
  `mount -t proc stoa ${ROOT}/proc || exit 126`,
  `chroot ${ROOT} "$@"`,
  'exit $?',
].join('\n');
