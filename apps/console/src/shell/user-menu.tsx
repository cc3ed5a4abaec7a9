import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconKey, IconLogout, IconUser } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { paths } from '../paths.ts';
import { endSession } from '../session/end-session.ts';
import { useSession } from '../session/session.tsx';
import { clearAll } from '../session/storage.ts';
import classes from './user-menu.module.css';

export function UserMenu() {
  const { user, settings } = useSession();
  const navigate = useNavigate();
  const { enabled, logoutURL } = settings.openidConnect;

  function leave() {
    void endSession();
    clearAll();
    if (enabled && logoutURL) location.assign(logoutURL);
    else void navigate({ to: paths.login() });
  }

  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          className={classes.button}
          aria-label={`Account: ${user.email}`}
          leftSection={<IconUser size={18} />}
          rightSection={<IconChevronDown size={14} className={classes.wide} />}
        >
          <span className={classes.wide}>{user.email}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className={classes.narrow ?? ''}>{user.email}</Menu.Label>
        {!enabled && (
          <Menu.Item
            leftSection={<IconKey size={16} />}
            onClick={() => void navigate({ to: paths.userPassword(user.id) })}
          >
            Change password
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={leave}>
          Logout
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
