import { seed } from './seed.ts';

const ACCOUNT = `package bank;

public final class Account {
    private long cents;

    public synchronized void deposit(long amount) {
        if (amount <= 0) throw new IllegalArgumentException("amount");
        cents += amount;
    }

    public synchronized boolean withdraw(long amount) {
        if (amount <= 0) throw new IllegalArgumentException("amount");
        if (cents < amount) return false;
        cents -= amount;
        return true;
    }

    public synchronized long balance() {
        return cents;
    }
}
`;
const NAMES = `package names;

import java.util.List;
import java.util.Locale;
import java.util.Objects;

public final class Names {
    public static boolean same(String a, String b) {
        return Objects.equals(a, b);
    }

    public static List<String> lower(List<String> names) {
        return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    }
}
`;
const CONFIG = `package config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

public final class Config {
    public static Properties read(Path path) throws IOException {
        Properties properties = new Properties();
        try (InputStream in = Files.newInputStream(path)) {
            properties.load(in);
        }
        return properties;
    }
}
`;

export const JAVA_SEEDS = [
  seed({
    ...{ id: 'java-check', language: 'java', path: 'src/bank/Account.java', base: ACCOUNT },
    edits: [
      [
        '        if (cents < amount) return false;\n        cents -= amount;',
        '        cents -= amount;\n        if (cents < amount) return false;',
      ],
    ],
    defects: [
      {
        ...{ line: 'if (cents < amount) return false;', class: 'order', severity: 'blocker' },
        title: 'A refused withdrawal takes the money all the same',
        scenario: 'With 100 cents withdraw(80) returns false, and balance() is 20.',
      },
    ],
  }),
  seed({
    ...{ id: 'java-unsynchronized', language: 'java', path: 'src/bank/Account.java', base: ACCOUNT },
    edits: [['    public synchronized boolean withdraw(long amount) {', '    public boolean withdraw(long amount) {']],
    defects: [
      {
        ...{ line: 'public boolean withdraw(long amount)', class: 'race', severity: 'blocker' },
        title: 'Two withdrawals at once can take more than there is',
        scenario: 'With 100 cents two threads call withdraw(100): both return true.',
      },
    ],
  }),
  seed({
    ...{ id: 'java-equals', language: 'java', path: 'src/names/Names.java', base: NAMES },
    edits: [['        return Objects.equals(a, b);', '        return a == b;']],
    defects: [
      {
        ...{ line: 'return a == b;', class: 'identity', severity: 'major' },
        title: 'Equal names that are not the same object differ',
        scenario: 'same("ada", new String("ada")) returns false.',
      },
    ],
  }),
  seed({
    ...{ id: 'java-locale', language: 'java', path: 'src/names/Names.java', base: NAMES },
    edits: [['name.toLowerCase(Locale.ROOT)', 'name.toLowerCase()']],
    defects: [
      {
        ...{ line: 'name.toLowerCase()', class: 'locale', severity: 'minor' },
        title: 'Names depend on the language of the machine',
        scenario: 'With the default locale tr-TR lower(["ID"]) gives "ıd".',
      },
    ],
  }),
  seed({
    ...{ id: 'java-config-clean', language: 'java', path: 'src/config/Config.java', base: CONFIG },
    edits: [['Files.newInputStream(path)', 'Files.newInputStream(path.toAbsolutePath())']],
  }),
  seed({
    ...{ id: 'java-account-clean', language: 'java', path: 'src/bank/Account.java', base: ACCOUNT },
    edits: [['        cents += amount;', '        cents = Math.addExact(cents, amount);']],
  }),
];
