/** Tables of gateways, devices and the embedded network server. */
export interface NetworkTables {}
