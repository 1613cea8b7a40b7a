import type { Environment } from '../../config.ts';
import {
  detectIsolation,
  type Isolation,
  listMissing,
} from '../../providers/hosting/local/isolation.ts';
import { openSandbox } from '../../providers/hosting/local/sandbox.ts';
import { detectRuntimes } from '../../providers/hosting/local/toolchains.ts';
import { spawnSync } from '../../system/child.ts';
import type { Finding } from './finding.ts';

/** Programs that hosting needs in addition to the runtimes. */
const PROGRAMS = ['git', 'prlimit', 'setsid'];

/** Checks the requirements of hosting on this machine; it is off unless `STOA_HOSTING` is set. */
export async function checkHosting(env: Environment): Promise<readonly Finding[]> {
  if (process.platform !== 'linux') {
    const detail = `hosting runs on Linux; this is ${process.platform}`;
    return [{ feature: 'hosting', needs: 'Linux', state: 'reduced', detail }];
  }
  const found = detectIsolation(env);
  return [checkPrograms(env), checkIsolation(found), checkNetwork(found), await checkRuntimes(env)];
}

function checkPrograms(env: Environment): Finding {
  const missing = PROGRAMS.filter((name) => spawnSync(name, ['--version'], { env }).status !== 0);
  const lack = `${missing.join(', ')} not found; install the packages git and util-linux`;
  return {
    feature: 'hosting',
    needs: PROGRAMS.join(', '),
    state: missing.length === 0 ? 'ok' : 'reduced',
    detail: missing.length === 0 ? 'found' : lack,
  };
}

function checkIsolation(found: Isolation): Finding {
  const lacks = listMissing(found);
  const lack = `lacks ${lacks.join(' and ')}: hosting needs --trust-repositories`;
  return {
    feature: 'isolation of hosted programs',
    needs: 'root with unshare and setpriv, and cgroups',
    state: lacks.length === 0 ? 'ok' : 'reduced',
    detail: lacks.length === 0 ? describeIsolation(found) : lack,
  };
}

function describeIsolation({ sandbox, cgroups, confinesSockets }: Isolation): string {
  const sockets = confinesSockets ? 'sockets confined' : 'sockets open (perl, Landlock of 6.12)';
  return `level ${sandbox}, cgroups ${cgroups}, ${sockets}`;
}

function checkNetwork({ network: kind }: Isolation): Finding {
  const lack =
    'external repositories need --trust-repositories; or install nftables, ' +
    'on a kernel with nf_tables and connection tracking';
  return {
    feature: 'network of hosted programs',
    needs: 'root with nft',
    state: kind === 'users' ? 'ok' : 'reduced',
    detail: kind === 'users' ? 'isolated by rules for each user' : lack,
  };
}

async function checkRuntimes(env: Environment): Promise<Finding> {
  const found = Object.entries(await detectRuntimes(openSandbox(env)));
  const able = found.filter(([, ability]) => ability.able).map(([name]) => name);
  const lacking = found.filter(([, ability]) => !ability.able).map(([name]) => name);
  return {
    feature: 'runtimes of hosted programs',
    needs: 'their programs on the path of tenants',
    state: able.length > 0 ? 'ok' : 'reduced',
    detail: `has ${able.join(', ') || 'none'}; lacks ${lacking.join(', ') || 'none'}`,
  };
}
