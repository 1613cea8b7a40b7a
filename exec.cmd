@rem The scripts of package.json begin with `exec`, which other shells have built in.
@%*
