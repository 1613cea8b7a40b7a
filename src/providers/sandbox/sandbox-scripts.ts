/** Mount point of the sandbox during its creation. */
const SANDBOX_ROOT = '/mnt';

/**
 * Creates the sandbox under {@link SANDBOX_ROOT}, then runs the program that holds it. Its
 * arguments: the home, the user, the program that raises loopback, the readable paths, `--`, the
 * hidden paths, `--`, the holder.
 */
export const CREATE_SCRIPT = [
  'set -e',
  'home=$1; uid=$2; loopback=$3; shift 3',
  'mount --make-rprivate /',
  `mount -t tmpfs -o size=16m,mode=755 stoa ${SANDBOX_ROOT}`,
  'for place in bin sbin lib lib32 lib64 libx32 usr etc; do',
  `if [ -L /$place ]; then cp -P /$place ${SANDBOX_ROOT}/$place`,
  `elif [ -d /$place ]; then mkdir ${SANDBOX_ROOT}/$place; ` +
    `mount --rbind /$place ${SANDBOX_ROOT}/$place`,
  `mount -o remount,bind,ro ${SANDBOX_ROOT}/$place; fi; done`,
  `mkdir -p ${SANDBOX_ROOT}/proc ${SANDBOX_ROOT}/run ${SANDBOX_ROOT}/var ${SANDBOX_ROOT}/dev`,
  'for name in null zero full random urandom; do',
  `: > ${SANDBOX_ROOT}/dev/$name; mount --bind /dev/$name ${SANDBOX_ROOT}/dev/$name; done`,
  `ln -s /proc/self/fd ${SANDBOX_ROOT}/dev/fd`,
  'for place in tmp dev/shm; do',
  `mkdir -p ${SANDBOX_ROOT}/$place; ` +
    `mount -t tmpfs -o size=64m,mode=1777 stoa ${SANDBOX_ROOT}/$place; done`,
  `ln -s /tmp ${SANDBOX_ROOT}/var/tmp`,
  'while [ "$1" != -- ]; do',
  `if [ -d "$1" ]; then mkdir -p "${SANDBOX_ROOT}$1"`,
  `else mkdir -p "$(dirname "${SANDBOX_ROOT}$1")"; ` +
    `[ -e "${SANDBOX_ROOT}$1" ] || : > "${SANDBOX_ROOT}$1"; fi`,
  `mount --bind "$1" "${SANDBOX_ROOT}$1"; mount -o remount,bind,ro "${SANDBOX_ROOT}$1"`,
  'shift; done; shift',
  'while [ "$1" != -- ]; do',
  `if [ -d "${SANDBOX_ROOT}$1" ]; then ` +
    `mount -t tmpfs -o size=1m,mode=700 stoa "${SANDBOX_ROOT}$1"; fi`,
  'shift; done; shift',
  `mkdir -p "${SANDBOX_ROOT}$home"`,
  `mount -t tmpfs -o size=64m,mode=700 stoa "${SANDBOX_ROOT}$home"`,
  `cp -R "$home/." "${SANDBOX_ROOT}$home/"; chown -R "$uid:$uid" "${SANDBOX_ROOT}$home"`,
  'perl -e "$loopback"',
  'exec "$@"',
].join('\n');

/**
 * A Perl program (every Debian has Perl) that raises the loopback interface of an empty network.
 */
export const LOOPBACK_SCRIPT =
  'socket(S, 2, 2, 0) || exit 1; my $up = pack("a16 s x22", "lo", 1); ' +
  'ioctl(S, 0x8914, $up) || exit 1;';

/**
 * A Node program that holds the sandbox until its parent disconnects. It opens ports inside and
 * passes each one to the parent with its number.
 */
export const HOLDER_SCRIPT = `
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
export const ENTER_SCRIPT = [
  'groups=$1; shift',
  'IFS=:',
  'for group in $groups; do echo 0 > "$group" || exit 126; done',
  'unset IFS',
  `mount -t proc -o hidepid=invisible stoa ${SANDBOX_ROOT}/proc 2>/dev/null ||`,
  `mount -t proc stoa ${SANDBOX_ROOT}/proc || exit 126`,
  `chroot ${SANDBOX_ROOT} "$@"`,
  'exit $?',
].join('\n');
