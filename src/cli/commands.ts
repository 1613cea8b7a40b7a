import { type CommandRow, createRow } from './common/usage.ts';
import { AUDIT } from './usage/audit.ts';
import { DEVELOP } from './usage/develop.ts';
import { MONEY } from './usage/money.ts';
import { OPERATE } from './usage/operate.ts';
import { SERVE } from './usage/serve.ts';
import { STORE } from './usage/store.ts';

/** All commands of `stoa`, in the order of the help. A new one is its file and an entry here. */
export const COMMANDS: Readonly<Record<string, CommandRow>> = {
  serve: createRow(SERVE.serve, async () => (await import('./server/serve.ts')).serve),
  stdio: createRow(SERVE.stdio, async () => (await import('./server/stdio.ts')).stdio),
  connect: createRow(SERVE.connect, async () => (await import('./connect/connect.ts')).connect),
  router: createRow(SERVE.router, async () => (await import('./hosting/router.ts')).router),
  faucet: createRow(MONEY.faucet, async () => (await import('./wallet/faucet.ts')).faucet),
  passport: {
    usage: MONEY.passport,
    commands: {
      mint: createRow(MONEY.passportMint, async () => (await loadPassport()).mint),
      show: createRow(MONEY.passportShow, async () => (await loadPassport()).show),
      bind: createRow(MONEY.passportBind, async () => (await loadPassport()).bind),
      claim: createRow(MONEY.passportClaim, async () => (await loadPassport()).claim),
      revoke: createRow(MONEY.passportRevoke, async () => (await loadPassport()).revoke),
    },
  },
  verify: createRow(AUDIT.verify, async () => (await import('./proof/verify.ts')).verify),
  'audit-books': createRow(
    AUDIT.auditBooks,
    async () => (await import('./audit/audit-books.ts')).auditBooks,
  ),
  reputation: createRow(
    AUDIT.reputation,
    async () => (await import('./reputation/reputation.ts')).reputation,
  ),
  report: createRow(AUDIT.report, async () => (await import('./report/report.ts')).report),
  witness: createRow(AUDIT.witness, async () => (await import('./proof/witness.ts')).witness),
  doctor: createRow(OPERATE.doctor, async () => (await import('./doctor/doctor.ts')).doctor),
  console: createRow(
    OPERATE.console,
    async () => (await import('./server/console.ts')).openConsole,
  ),
  sources: createRow(OPERATE.sources, async () => (await import('./server/sources.ts')).sources),
  control: {
    usage: OPERATE.control,
    commands: {
      list: createRow(OPERATE.controlList, async () => (await loadControl()).list),
      set: createRow(OPERATE.controlSet, async () => (await loadControl()).set),
    },
  },
  hosting: {
    usage: OPERATE.hosting,
    commands: {
      stop: createRow(OPERATE.hostingStop, async () => (await import('./hosting/hosting.ts')).stop),
    },
  },
  token: {
    usage: OPERATE.token,
    commands: {
      create: createRow(OPERATE.tokenCreate, async () => (await loadToken()).create),
      list: createRow(OPERATE.tokenList, async () => (await loadToken()).list),
      revoke: createRow(OPERATE.tokenRevoke, async () => (await loadToken()).revoke),
    },
  },
  proofs: {
    usage: OPERATE.proofs,
    commands: {
      'rotate-key': createRow(OPERATE.proofsRotateKey, async () => (await loadProofs()).rotateKey),
      anchor: createRow(OPERATE.proofsAnchor, async () => (await loadProofs()).anchor),
    },
  },
  erase: createRow(OPERATE.erase, async () => (await loadProofs()).erase),
  contracts: {
    usage: OPERATE.contracts,
    commands: {
      deploy: createRow(
        OPERATE.contractsDeploy,
        async () => (await import('./machine/contracts.ts')).deploy,
      ),
    },
  },
  tour: createRow(DEVELOP.tour, async () => (await import('./connect/tour.ts')).tour),
  machine: {
    usage: DEVELOP.machine,
    commands: {
      list: createRow(DEVELOP.machineList, async () => (await loadMachine()).list),
      export: createRow(DEVELOP.machineExport, async () => (await loadMachine()).exportChart),
    },
  },
  store: {
    usage: STORE.store,
    commands: {
      list: createRow(STORE.storeList, async () => (await import('./store/list.ts')).list),
      show: createRow(STORE.storeShow, async () => (await import('./store/show.ts')).show),
      export: createRow(
        STORE.storeExport,
        async () => (await import('./store/export.ts')).exportJournal,
      ),
      tell: createRow(STORE.storeTell, async () => (await import('./store/act.ts')).tell),
      fork: createRow(STORE.storeFork, async () => (await import('./store/act.ts')).fork),
      retry: createRow(STORE.storeRetry, async () => (await import('./store/act.ts')).retry),
      check: createRow(STORE.storeCheck, async () => (await import('./store/check.ts')).check),
      salvage: createRow(
        STORE.storeSalvage,
        async () => (await import('./store/check.ts')).salvage,
      ),
    },
  },
  paths: createRow(DEVELOP.paths, async () => (await import('./machine/paths.ts')).paths),
};

async function loadPassport() {
  return import('./passport/passport.ts');
}

async function loadControl() {
  return import('./control/control.ts');
}

async function loadToken() {
  return import('./server/token.ts');
}

async function loadProofs() {
  return import('./proof/proofs.ts');
}

async function loadMachine() {
  return import('./machine/machine.ts');
}
