/** Another gateway that receives a device with less than this is not enough, in dB. */
export const enoughMargin = 3;
