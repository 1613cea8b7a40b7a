import { effect } from '@preact/signals';
import { render } from 'preact';
import { Connection } from './connection/connection.ts';
import { signIn, takeCode } from './connection/sign-in.ts';
import { createBrowserEnvironment } from './connection/socket.ts';
import { ConnectionContext } from './connection/use-connection.ts';
import { syncClock } from './parts/times.tsx';
import type { ConsoleSite } from './shell/console-site.ts';
import { SiteContext } from './shell/console-site.ts';
import { handleLinks } from './shell/router.ts';
import { Shell } from './shell/shell.tsx';
import { handleKeys } from './shell/shortcuts.ts';
import { applyTheme } from './shell/theme.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';

/** Shows a console in this document. */
export async function startConsole(site: ConsoleSite): Promise<void> {
  applyTheme();
  const connection = new Connection(createBrowserEnvironment());
  const code = takeCode();
  const entered = code === null ? null : await signIn(code);
  effect(() => {
    const hello = connection.hello.value;
    if (hello !== null) syncClock(hello.now);
  });
  connection.start();
  handleLinks(document);
  handleKeys(document);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') connection.probe();
  });
  addEventListener('online', () => connection.probe());
  const why = entered?.isIn === false ? entered.reason : null;
  const page = (
    <SiteContext.Provider value={site}>
      <ConnectionContext.Provider value={connection}>
        <Shell whySignedOut={why} />
      </ConnectionContext.Provider>
    </SiteContext.Provider>
  );
  const root = document.getElementById('console');
  if (root !== null) render(page, root);
}
