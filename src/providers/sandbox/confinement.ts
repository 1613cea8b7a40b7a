import { arch } from 'node:os';
import { spawnSync } from '../../system/child.ts';

/** Kernel constants of an architecture: its audit id and two system call numbers. */
interface KernelConstants {
  readonly audit: number;
  readonly socket: number;
  readonly prctl: number;
}

const KERNEL_CONSTANTS: Readonly<Record<string, KernelConstants>> = {
  x64: { audit: 0xc000003e, socket: 41, prctl: 157 },
  arm64: { audit: 0xc00000b7, socket: 198, prctl: 167 },
};
/** Unix, IPv4, IPv6 and netlink: the socket families that programs need. */
const SOCKET_FAMILIES = [1, 2, 10, 16];
/** Part of every Debian: its package is essential. */
const PERL = '/usr/bin/perl';
/** First system call number of the x32 ABI. */
const X32_CALLS_START = 0x40000000;

/**
 * Returns the program and arguments that confine a program and its children. They block other
 * socket families than these and abstract Unix sockets of other processes. Privileges must already
 * be dropped. Returns an empty list if kernel or machine do not support it.
 */
export function detectConfinement(): readonly string[] {
  const numbers = KERNEL_CONSTANTS[arch()];
  if (process.platform !== 'linux' || numbers === undefined) return [];
  const argv = [PERL, '-e', createConfinementScript(numbers), '--'];
  const result = spawnSync('setpriv', ['--no-new-privs', ...argv, '/bin/true']);
  return result.status === 0 ? argv : [];
}

/** Sets Landlock's scope for abstract sockets, then a system call filter, then runs the program. */
function createConfinementScript({ audit, socket, prctl }: KernelConstants): string {
  const allowed = SOCKET_FAMILIES.length;
  const families = SOCKET_FAMILIES.map((family, at) => `[0x15,${allowed - at},0,${family}]`);
  const filter = [
    // Programs with other system call numbers may make no calls.
    ...['[0x20,0,0,4]', `[0x15,1,0,${audit}]`, `[6,0,0,${filterErrno(38)}]`],
    ...['[0x20,0,0,0]', `[0x35,0,1,${X32_CALLS_START}]`, `[6,0,0,${filterErrno(38)}]`],
    ...[`[0x15,0,${allowed + 2},${socket}]`, '[0x20,0,0,16]', ...families],
    ...[`[6,0,0,${filterErrno(97)}]`, `[6,0,0,${FILTER_ALLOW}]`],
  ];
  return [
    'my $rules = pack("QQQ", 0, 0, 1);',
    'my $fd = syscall(444, $rules, 24, 0);',
    'exit 126 if $fd < 0 || syscall(446, $fd, 0) != 0;',
    `my $code = join("", map { pack("SCCL", @$_) } ${filter.join(',')});`,
    'my $program = pack("Sx6P", length($code) / 8, $code);',
    `exit 126 if syscall(${prctl}, 22, 2, $program) != 0;`,
    'exec { $ARGV[0] } @ARGV; exit 127;',
  ].join(' ');
}

const FILTER_ALLOW = 0x7fff0000;

function filterErrno(code: number): number {
  return 0x00050000 + code;
}
