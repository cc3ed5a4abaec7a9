import type { GatewayBoard } from '@hilltop/contract';
import { Button, Fieldset, Stack } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { HexField } from '../../components/hex-input/hex-field.tsx';

interface Props {
  boards: readonly GatewayBoard[];
  onChange: (boards: GatewayBoard[]) => void;
}

/** The concentrator boards of a gateway, counted from 0 like on the gateway. */
export function GatewayBoards({ boards, onChange }: Props) {
  return (
    <>
      {boards.map((_, index) => (
        // Boards have no identity, so the index is the key.
        // oxlint-disable-next-line react/no-array-index-key
        <Fieldset key={index} legend={`Board #${index} configuration`}>
          <Stack>
            <HexField name={`boards.${index}.fpgaID`} bytes={8} />
            <HexField name={`boards.${index}.fineTimestampKey`} bytes={16} secret />
            <Button
              variant="subtle"
              color="red"
              size="xs"
              leftSection={<IconTrash size={14} />}
              style={{ alignSelf: 'flex-start' }}
              onClick={() => onChange(boards.filter((_board, at) => at !== index))}
            >
              {`Delete board #${index}`}
            </Button>
          </Stack>
        </Fieldset>
      ))}
      <Button
        variant="default"
        leftSection={<IconPlus size={16} />}
        style={{ alignSelf: 'flex-start' }}
        onClick={() => onChange([...boards, { fpgaID: '', fineTimestampKey: '' }])}
      >
        Add board configuration
      </Button>
    </>
  );
}
