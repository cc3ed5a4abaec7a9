import type { Operation, StatusName } from '@hilltop/contract';
import { Counter, type Registry } from 'prom-client';

/** Metrics under the names that dashboards of version 3 read, in addition to ours. */
export interface OldMetrics {
  /** Call it for everything that we count. */
  count: (name: string, labels: Record<string, string>, by: number) => void;
  /** Call it when a call begins, and the returned function when it ends. */
  begin: (operation: Operation) => (status: StatusName) => void;
}

interface Old {
  name: string;
  help: string;
  labels: (ours: Record<string, string>) => Record<string, string>;
}

/** By our own name. Version 3 counted the messages at its MQTT broker. */
const old: Readonly<Record<string, Old>> = {
  uplink_copies: {
    name: 'backend_mqtt_event_count',
    help: 'Events received from gateways, by kind.',
    labels: () => ({ event: 'up' }),
  },
  downlinks_answered: {
    name: 'backend_mqtt_event_count',
    help: 'Events received from gateways, by kind.',
    labels: () => ({ event: 'ack' }),
  },
  downlinks: {
    name: 'backend_mqtt_command_count',
    help: 'Commands sent to gateways, by kind.',
    labels: () => ({ command: 'down' }),
  },
  events: {
    name: 'integration_mqtt_event_count',
    help: 'Events of devices, by kind.',
    labels: ({ type }) => ({ event: type! }),
  },
};

const ofCall = ['grpc_type', 'grpc_service', 'grpc_method'];

export function createOldMetrics(registry: Registry): OldMetrics {
  const registers = [registry];
  const counters = new Map<string, Counter>();
  const calls = new CallCounts();
  const started: Counter = new Counter({
    name: 'grpc_server_started_total',
    help: 'Calls of the API that were begun, by REST or gRPC.',
    labelNames: ofCall,
    registers,
    collect: () => {
      started.reset();
      for (const { labels, begun } of calls.all()) started.inc(labels, begun);
    },
  });
  const handled: Counter = new Counter({
    name: 'grpc_server_handled_total',
    help: 'Calls of the API that have ended, by REST or gRPC, with their code.',
    labelNames: [...ofCall, 'grpc_code'],
    registers,
    collect: () => {
      handled.reset();
      for (const { labels, ended } of calls.all())
        for (const [code, count] of ended) handled.inc({ ...labels, grpc_code: code }, count);
    },
  });

  function counterOf({ name, help, labels }: Old): Counter {
    let counter = counters.get(name);
    if (!counter) {
      counter = new Counter({ name, help, labelNames: Object.keys(labels({})), registers });
      counters.set(name, counter);
    }
    return counter;
  }

  return {
    count: (name, labels, by) => {
      const found = old[name];
      if (found) counterOf(found).inc(found.labels(labels), by);
    },
    begin: (operation) => (operation.package === 'api' ? calls.begin(operation) : () => undefined),
  };
}

interface CallsOfOperation {
  labels: Record<string, string>;
  begun: number;
  ended: Map<StatusName, number>;
  end: (status: StatusName) => void;
}

/** Counts the calls of each operation: the counters of the library cost more than many a step of a call. */
class CallCounts {
  readonly #byOperation = new Map<Operation, CallsOfOperation>();

  all(): Iterable<CallsOfOperation> {
    return this.#byOperation.values();
  }

  begin(operation: Operation): (status: StatusName) => void {
    const calls = this.#of(operation);
    calls.begun += 1;
    return calls.end;
  }

  #of(operation: Operation): CallsOfOperation {
    const known = this.#byOperation.get(operation);
    if (known) return known;
    const { service, rpc, stream } = operation;
    const ended = new Map<StatusName, number>();
    const calls: CallsOfOperation = {
      labels: {
        grpc_type: stream ? 'server_stream' : 'unary',
        grpc_service: `api.${service}`,
        grpc_method: rpc,
      },
      begun: 0,
      ended,
      end: (status) => void ended.set(status, (ended.get(status) ?? 0) + 1),
    };
    this.#byOperation.set(operation, calls);
    return calls;
  }
}
