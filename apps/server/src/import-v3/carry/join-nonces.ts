import type { DevNonceUse } from '@hilltop/network-server';
import type { Carry } from '../move.ts';

import { date, hex, number, whole } from '../read-row.ts';
import { carryTable, LeftBehind, textOfKey } from './each-row.ts';

export const joinTypes: Readonly<Record<number, DevNonceUse['joinType']>> = {
  255: 'join',
  0: 'rejoin0',
  1: 'rejoin1',
  2: 'rejoin2',
};

/** Every DevNonce that was used: a join-request that somebody recorded is not answered again. */
export const carryJoinNonces: Carry = async function* (move) {
  for (const [networkServerID, { database }] of move.networks)
    yield* carryTable(move, {
      what: 'join nonces',
      database,
      table: 'device_activation',
      called: (row) => textOfKey(row['dev_eui']),
      carry: (row) => {
        const devEUI = hex(row, 'dev_eui', 8);
        const joinType = joinTypes[number(row, 'join_req_type')];
        if (move.carried.devices.get(devEUI) !== networkServerID) throw new LeftBehind('its device is not carried');
        if (joinType === undefined) throw new LeftBehind('it is of an unknown kind of join');
        return [
          {
            table: 'ns_activation',
            values: {
              ...{ network_server_id: networkServerID, dev_eui: devEUI, join_type: joinType },
              join_eui: hex(row, 'join_eui', 8),
              dev_nonce: whole(row, 'dev_nonce', [0, 0xff_ff]),
              dev_addr: hex(row, 'dev_addr', 4),
              at: date(row, 'created_at').getTime(),
            },
            called: devEUI,
          },
        ];
      },
    });
};
