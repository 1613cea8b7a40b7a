import { definePanels } from '../../actors/panel/panels.ts';
import { definePayment } from '../../actors/payment/definition.ts';
import { PaymentFlow } from '../../actors/payment/payment-flow.ts';
import { AppError } from '../../domain/common/error.ts';
import { openEngine } from '../../runtime/engine/engine.ts';
import type { Definition } from '../../runtime/engine/types.ts';
import { openPaymentIds } from '../../store/payment/payment-ids.ts';
import { createNotifications } from '../alert/alerts.ts';
import type { ServerServices } from './services.ts';

/** Opens the engine with payments and panels. Its incidents notify the operator. */
export function openOwnEngine(
  services: Pick<
    ServerServices,
    | 'blobs'
    | 'chain'
    | 'clock'
    | 'closers'
    | 'config'
    | 'egress'
    | 'environment'
    | 'llm'
    | 'notice'
    | 'overrides'
    | 'random'
    | 'shutdown'
    | 'store'
    | 'telemetry'
  >,
): Pick<
  ServerServices,
  'define' | 'engine' | 'notifier' | 'operator' | 'payments' | 'seal' | 'sealer' | 'start'
> {
  const { closers, environment, notice, overrides, shutdown, store } = services;
  const notifications = createNotifications(services);
  const { operator } = notifications;
  overrides.watch?.setNotifier((said) => operator.raise(said));
  const { engine, start, ...opened } = openEngine({
    store: store.engine,
    clock: services.clock,
    definitions: environment.definitions(environment.developmentDefinitions),
    observer: services.telemetry.observer,
    onNotice: (said) => {
      notice(`${said.kind} ${said.actorId}: ${said.message}`);
      operator.handleIncident(said);
    },
    onFatal: (cause) =>
      shutdown.trigger(new AppError('INTERNAL', { message: cause.message, cause })),
  });
  closers.add(() => engine.close());
  // The kinds of a test server replace those of production.
  const define = (...kinds: readonly Definition[]): void => {
    const own = kinds.filter(({ kind }) => !environment.developmentKinds.includes(kind));
    opened.define(...environment.definitions(own));
  };
  define(definePayment(services), ...definePanels(services));
  const ids = openPaymentIds(store.trust);
  const payments = new PaymentFlow({ ...services, engine, ids });
  return { ...notifications, engine, define, start, payments };
}
