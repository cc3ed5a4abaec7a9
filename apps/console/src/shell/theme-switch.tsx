import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { Menu, MenuItem } from '../components/menu/menu.tsx';

const choices = [
  { value: 'auto', label: 'As the system', Icon: IconDeviceDesktop },
  { value: 'light', label: 'Light', Icon: IconSun },
  { value: 'dark', label: 'Dark', Icon: IconMoon },
] as const;

const label = 'Colour scheme';

export function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Current = useComputedColorScheme() === 'dark' ? IconMoon : IconSun;
  return (
    <Menu
      label={label}
      trigger={(props) => (
        <ActionIcon {...props} size={40} aria-label={label} title={label}>
          <Current size={20} />
        </ActionIcon>
      )}
    >
      {choices.map(({ value, label: name, Icon }) => (
        <MenuItem
          key={value}
          icon={<Icon size={16} />}
          isChosen={colorScheme === value}
          mark={<IconCheck size={16} />}
          onChoose={() => setColorScheme(value)}
        >
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}
