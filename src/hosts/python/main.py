# The Python host: what Hookline starts to run Python hooks in. process.ts starts it.
import sys

if sys.version_info < (3, 9):
    sys.exit("it is Python " + sys.version.split()[0] + ", and hooks need Python 3.9 or newer")

# multiprocessing imports this file once more, under another name.
if __name__ == "__main__":
    from hookline_host import keeper

    keeper.stay_behind()
    # Python puts the folder of its program there. No folder of ours and none where it was started decides what user code imports.
    del sys.path[0]
    sys.argv = [""]
    from hookline_host.serving import host

    host.serve()
