defmodule Sample do
  @moduledoc "Answers every request with its runtime and its greeting; needs nothing beyond Elixir."
  use Application

  @impl true
  def start(_type, _args) do
    port = String.to_integer(System.fetch_env!("PORT"))
    {:ok, socket} = :gen_tcp.listen(port, [:binary, packet: :line, active: false, reuseaddr: true])
    IO.puts("the sample listens")
    Task.start_link(fn -> accept(socket) end)
  end

  defp accept(socket) do
    {:ok, client} = :gen_tcp.accept(socket)
    {:ok, worker} = Task.start(fn -> receive do: (:go -> answer(client)) end)
    :ok = :gen_tcp.controlling_process(client, worker)
    send(worker, :go)
    accept(socket)
  end

  defp answer(client) do
    skip(client)
    text = "elixir says #{System.get_env("GREETING")}"
    head = "HTTP/1.1 200 OK\r\ncontent-length: #{byte_size(text)}\r\nconnection: close\r\n\r\n"
    :gen_tcp.send(client, head <> text)
    :gen_tcp.close(client)
  end

  defp skip(client) do
    case :gen_tcp.recv(client, 0) do
      {:ok, "\r\n"} -> :ok
      {:ok, _line} -> skip(client)
      {:error, _reason} -> :ok
    end
  end
end
