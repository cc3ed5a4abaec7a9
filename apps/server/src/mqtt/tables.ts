declare module '../database/tables.ts' {
  interface Tables {
    command_taken: CommandTakenTable;
  }
}

/**
 * The last MQTT messages of each sender that became downlinks. `slot` is the packet identifier modulo the number of
 * slots.
 */
interface CommandTakenTable {
  sender: string;
  slot: number;
  message: string;
  until: Date;
}

export {};
