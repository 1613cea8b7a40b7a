defmodule Sample.MixProject do
  use Mix.Project

  def project, do: [app: :sample, version: "0.1.0", elixir: "~> 1.10", deps: []]
  def application, do: [mod: {Sample, []}, extra_applications: [:logger]]
end
