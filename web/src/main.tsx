import { effect } from '@preact/signals';
import { render } from 'preact';
import { Connection } from './connection/connection.ts';
import { enter, takeCode } from './connection/entry.ts';
import { browserOutside } from './connection/socket.ts';
import { ConnectionContext } from './connection/use-connection.ts';
import { followClock } from './parts/times.tsx';
import { followLinks } from './shell/router.ts';
import { Shell } from './shell/shell.tsx';
import { followKeys } from './shell/shortcuts.ts';
import { applyTheme } from './shell/theme.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';

applyTheme();
void begin();

async function begin(): Promise<void> {
  const connection = new Connection(browserOutside());
  const code = takeCode();
  const entered = code === null ? null : await enter(code);
  effect(() => {
    const hello = connection.hello.value;
    if (hello !== null) followClock(hello.now);
  });
  connection.start();
  followLinks(document);
  followKeys(document);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') connection.probe();
  });
  addEventListener('online', () => connection.probe());
  const why = entered?.isIn === false ? entered.reason : null;
  const page = (
    <ConnectionContext.Provider value={connection}>
      <Shell whySignedOut={why} />
    </ConnectionContext.Provider>
  );
  const root = document.getElementById('console');
  if (root !== null) render(page, root);
}
