# For Homebrew, to install release {{.Version}}: the file Formula/overcomplete.rb of a tap. cmd/dist has written it
# from the archives.
class Overcomplete < Formula
  desc "Jupyter kernel for Go"
  homepage "{{.Home}}"
  version "{{.Version}}"
  license "BSD-3-Clause"
{{range .Archives}}
  on_{{.BrewSystem}} do
    on_{{.BrewArch}} do
      url "{{.Address}}"
      sha256 "{{.SHA256}}"
    end
  end
{{end}}
  def install
    # The program finds the kernel for browsers (export --live) beside itself.
    libexec.install "overcomplete", "live"
    bin.install_symlink libexec/"overcomplete"
    prefix.install "NOTICES.txt"
    system libexec/"overcomplete", "install", "--no-check", "--prefix", prefix
  end

  def caveats
    <<~TEXT
      Jupyter finds the kernel after
        overcomplete install --user
      or with JUPYTER_PATH=#{HOMEBREW_PREFIX}/share/jupyter in its environment.
    TEXT
  end

  test do
    assert_match "overcomplete", shell_output("#{bin}/overcomplete version")
    system bin/"overcomplete", "install", "--prefix", testpath
  end
end
