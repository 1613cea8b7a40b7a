import { PAGES } from './pages.ts';
import { startConsole } from './start-console.tsx';

void startConsole({ pages: PAGES, host: 'server' });
