def make_sandbox(kind, config):
    from workbench.sandbox.local import LocalSandbox

    return LocalSandbox(config)
