"""`python -m dipverify` is the command `dipverify`."""

if __name__ == "__main__":
    from dipverify.cli.main import main

    main()
