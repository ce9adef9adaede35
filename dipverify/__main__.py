"""`python -m dipverify` is the command `dipverify`."""

from dipverify.cli.main import main

if __name__ == "__main__":
    main()
